"""The cl100k_base vocabulary of OpenAI's tiktoken (MIT), compressed."""
