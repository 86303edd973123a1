-- _rarity: how much a word tells, by how many blocks hold it: idf of BM25 (Robertson and Zaragoza 2009).
--
-- Called by: _score_blocks, _crowd_blocks and _worded_blocks. Without a pinned path, so that it is inlined; the
-- SQL-standard body is resolved now, under the deployer's path. abs(): after blocks went and before the next count,
-- more may hold a word than there are; null stays null.

create or replace function cto._rarity(blocks double precision, holders double precision)
returns double precision
language sql
immutable
parallel safe
return abs(ln((blocks + 1) / (holders + 0.5)));

comment on function cto._rarity(double precision, double precision) is
'Inverse document frequency of a word that holders of blocks hold, at least 0: ln(1 + (blocks - holders + 0.5) /
(holders + 0.5)).';

revoke all on function cto._rarity(double precision, double precision) from public;
grant execute on function cto._rarity(double precision, double precision) to cto_agent;
