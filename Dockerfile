# The command with all that it needs: docker build -t voirdire . && docker run --rm -v "$PWD:/data" voirdire validate .
# It was written without an engine to build it with.
FROM python:3.11-slim
COPY . /src
# pycocoevalcap brings jars under the GPL and the AGPL, which nothing here reads (docs/licences.md): no layer holds them.
RUN pip install --no-cache-dir --constraint /src/constraints.txt /src && rm -rf /src && \
    find "$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/pycocoevalcap" \
        -name '*.jar' ! -path '*/meteor/*' -delete
WORKDIR /data
ENTRYPOINT ["voirdire"]
