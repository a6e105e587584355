// A balancer in front of several nodes: in turn, around those that do not answer. As careful as a real one: what a node may have
// begun is only repeated elsewhere when repeating does no harm.
import { Agent, createServer, request } from 'node:http';

/** @param {readonly string[]} nodes addresses */
export async function startRoundRobin(nodes) {
  const agent = new Agent({ keepAlive: true });
  const counts = { requests: 0, moved: 0, lost: 0, byNode: nodes.map(() => 0) };
  let next = 0;

  function attempt(at, incoming, body) {
    const { hostname, port } = new URL(nodes[at]);
    const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' };
    // Whole bodies are passed on, so their length is known.
    if (headers['transfer-encoding'] !== undefined) {
      delete headers['transfer-encoding'];
      headers['content-length'] = String(body.length);
    }
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { hostname, port, agent, method: incoming.method, path: incoming.url, headers },
        (response) => {
          const chunks = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('end', () => (response.complete ? resolve({ response, body: Buffer.concat(chunks) }) : reject(new Error('cut off')))); // biome-ignore format: one thought
          response.on('error', reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  async function serve(incoming, answer) {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    counts.requests += 1;
    const first = next++;
    for (let tries = 0; tries < nodes.length; tries += 1) {
      const at = (first + tries) % nodes.length;
      try {
        const { response, body: content } = await attempt(at, incoming, body);
        counts.byNode[at] += 1;
        const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...headers } = response.headers;
        answer.writeHead(response.statusCode, headers);
        answer.end(content);
        return;
      } catch (error) {
        const begun = error.code !== 'ECONNREFUSED';
        if (begun && !['GET', 'HEAD', 'PUT'].includes(incoming.method)) break;
        counts.moved += 1;
      }
    }
    counts.lost += 1;
    answer.writeHead(502, { 'content-length': '0' }).end();
  }

  const server = createServer((incoming, answer) => {
    serve(incoming, answer).catch(() => answer.destroy());
  });
  // Longer than any client keeps a connection, so that none is closed under a request.
  server.keepAliveTimeout = 72_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    counts,
    close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
