# The command with all that it needs: docker build -t voirdire . && docker run --rm -v "$PWD:/data" voirdire validate .
# It was written without an engine to build it with.
FROM python:3.11-slim
COPY . /src
RUN pip install --no-cache-dir --constraint /src/constraints.txt /src && rm -rf /src
WORKDIR /data
ENTRYPOINT ["voirdire"]
