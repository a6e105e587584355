# Kwit in a container. Needs an external PostgreSQL (DATABASE_URL) or a volume at /data for the embedded one.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY packages/server/package.json packages/server/
COPY packages/client/package.json packages/client/
COPY packages/cli/package.json packages/cli/
RUN npm ci --no-audit --no-fund
COPY scripts scripts
COPY packages packages
RUN node -e "import('./scripts/schemas.mjs').then((s) => s.extractSchemas('.'))" && npm prune --omit=dev

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /app /app
RUN useradd --system --uid 10001 --home /data kwit && mkdir -p /data && chown kwit /data
USER kwit
VOLUME /data
ENV KWIT_HOST=0.0.0.0 KWIT_DATA=/data NODE_ENV=production
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.KWIT_PORT||8080)+'/health/ready').then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "packages/cli/src/kwit.ts"]
CMD ["serve"]
