#!/usr/bin/env bash
# Install Debian's PostgreSQL with PL/Python and pgvector: the second server of the test-suite.
#
# usage: tools/install_debian_server.sh
#
# pgvector is packaged from Debian 13 and Ubuntu 24.04 on. On Debian 12 it is built from Debian 13's
# source package, which the mirror this system already uses has too. What is there is left alone, so a
# second run takes no time. Ends with status 3, changing nothing, where it would need root or apt.
set -euo pipefail

say() { printf '%s\n' "$*"; }

newest_major() {
    local postgres
    for postgres in /usr/lib/postgresql/*/bin/postgres; do
        if [[ -x $postgres ]]; then basename "${postgres%/bin/postgres}"; fi
    done | sort -n | tail -n 1
}

has_extension() { [[ -f /usr/share/postgresql/$1/extension/$2.control ]]; }

is_complete() {
    local major
    major=$(newest_major)
    [[ -n $major ]] && has_extension "$major" plpython3u && has_extension "$major" vector
}

install_packages() { apt-get install -y --no-install-recommends "$@"; }

install_server() {
    if [[ ! -f /etc/postgresql-common/createcluster.conf ]]; then
        # Debian would start a cluster on port 5432, which nobody here uses.
        install_packages postgresql-common
        sed -i -E 's/^#? *create_main_cluster *=.*/create_main_cluster = false/' \
            /etc/postgresql-common/createcluster.conf
    fi
    install_packages postgresql
}

# Prints the address of the Debian archive that this system's own packages come from.
archive_address() {
    local codename
    codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $codename" |
        sort -u | head -n 1
}

build_pgvector() {
    local major=$1 address
    address=$(archive_address)
    if [[ -z $address ]]; then
        say "The apt sources of this system name no Debian archive: pgvector cannot be built."
        return 1
    fi

    install_packages build-essential dpkg-dev "postgresql-server-dev-$major"

    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    mkdir -p "$scratch/lists/partial"
    printf 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s trixie main\n' \
        "$address" >"$scratch/sources.list"
    # These options keep Debian 13's lists out of the system's own.
    local elsewhere=(
        -o "Dir::Etc::sourcelist=$scratch/sources.list"
        -o Dir::Etc::sourceparts=-
        -o "Dir::State::lists=$scratch/lists"
        -o Dir::Cache::pkgcache=
        -o Dir::Cache::srcpkgcache=
        -o APT::Sandbox::User=root
    )
    apt-get "${elsewhere[@]}" update
    (
        cd "$scratch"
        apt-get "${elsewhere[@]}" source --download-only pgvector
        dpkg-source --extract ./*.dsc source
        # OPTFLAGS is -march=native otherwise, which breaks on the next machine.
        make -C source -j "$(nproc)" OPTFLAGS="" \
            PG_CONFIG="/usr/lib/postgresql/$major/bin/pg_config" with_llvm=no
        make -C source install OPTFLAGS="" \
            PG_CONFIG="/usr/lib/postgresql/$major/bin/pg_config" with_llvm=no
    )
}

main() {
    if is_complete; then
        say "PostgreSQL $(newest_major) with PL/Python and pgvector is there."
        return 0
    fi
    if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
        say "PostgreSQL with PL/Python and pgvector is not there; installing it takes root and apt-get."
        return 3
    fi

    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    [[ -n $(newest_major) ]] || install_server
    local major
    major=$(newest_major)
    has_extension "$major" plpython3u || install_packages "postgresql-plpython3-$major"
    if ! has_extension "$major" vector; then
        if [[ -n $(apt-cache madison "postgresql-$major-pgvector") ]]; then
            install_packages "postgresql-$major-pgvector"
        else
            build_pgvector "$major"
        fi
    fi
    is_complete
    say "PostgreSQL $major with PL/Python and pgvector is there."
}

main "$@" </dev/null
