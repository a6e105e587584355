// The form of a log line for people at a terminal: time, level, message, then the rest as name=value.

const LEVELS: Record<number, [label: string, colour: number]> = {
  10: ['trace', 90],
  20: ['debug', 90],
  30: ['info', 32],
  40: ['warn', 33],
  50: ['error', 31],
  60: ['fatal', 31],
};

export function readableLine(line: string, colour: boolean): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { time, level, msg, err, ...rest } = entry;
  const [label, code] = LEVELS[Number(level)] ?? [String(level), 0];
  const shownLevel = colour ? `\u001b[${code}m${label.padEnd(5)}\u001b[0m` : label.padEnd(5);
  const parts = [String(time).slice(11, 23), shownLevel];
  if (msg !== undefined) parts.push(printable(String(msg)));
  for (const [name, value] of Object.entries(rest)) parts.push(`${printable(name)}=${shown(value)}`);
  let stack = '';
  if (typeof err === 'object' && err !== null) {
    const error = err as { type?: string; message?: string; stack?: string };
    if (error.message !== msg) parts.push(`err=${shown(`${error.type ?? 'Error'}: ${error.message ?? ''}`)}`);
    // Where it happened, under the line; the first lines of a stack repeat the message.
    for (const frame of (error.stack ?? '').split('\n')) {
      if (/^\s+at /.test(frame)) stack += `    ${printable(frame.trim())}\n`;
    }
  } else if (err !== undefined) parts.push(`err=${shown(err)}`);
  return `${parts.join(' ')}\n${stack}`;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? printable(value) : JSON.stringify(printable(value));
  return printable(JSON.stringify(value));
}

/** Input that reached a message must not move the cursor or fake another line. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (char) => {
    if (char === '\n') return '\\n';
    return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
