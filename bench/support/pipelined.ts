import { connect, type Socket } from 'node:net';

const STATUS_LINE = 'HTTP/1.1 ';

/**
 * Sends the same request over and over, several at a time on each connection, and counts the answers by their status line.
 * It parses nothing else: next to this, what the service does is all that costs.
 */
export async function pipelined(
  url: string,
  request: string,
  options: { connections: number; depth: number; seconds: number },
): Promise<Map<string, number>> {
  const { hostname, port } = new URL(url);
  const counts = new Map<string, number>();
  const sockets: Socket[] = [];
  const ends = performance.now() + options.seconds * 1000;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(request.repeat(options.depth)));
      sockets.push(socket);
      let open = options.depth;
      socket.setNoDelay(true);
      socket.setEncoding('latin1');
      socket.on('data', (text: string) => {
        let answered = 0;
        for (let at = text.indexOf(STATUS_LINE); at >= 0; at = text.indexOf(STATUS_LINE, at + 9)) {
          const status = text.slice(at + 9, at + 12);
          counts.set(status, (counts.get(status) ?? 0) + 1);
          answered += 1;
        }
        if (performance.now() < ends) socket.write(request.repeat(answered));
        else open -= answered;
        if (open <= 0) {
          socket.destroy();
          resolve();
        }
      });
      socket.on('error', reject);
      socket.on('close', () => resolve());
    });
  await Promise.all(Array.from({ length: options.connections }, one));
  return counts;
}
