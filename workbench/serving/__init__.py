"""A recipe as an HTTP service: the workbench's requests and OpenAI's chat completions, on Starlette and uvicorn."""
