interface Node<T> {
  fixed: Map<string, Node<T>>;
  any: Node<T> | undefined;
  /** What a trailing `*` takes. */
  rest: Map<string, T>;
  byMethod: Map<string, T>;
}

export interface RouteTable<T> {
  add(method: string, pattern: string, value: T): void;
  /** What stands for this method at this path; a query does not count, nor does one slash at the end. */
  find(method: string, url: string): T | undefined;
  /** The methods that a path knows, for telling 405 from 404. */
  methods(url: string): string[];
}

/**
 * Patterns like `/sessions/:id/invoices`, each with what it stands for: a second look at a path, beside the router's own, for what
 * has to be known before a request enters the frame or when no route took it.
 */
export function createRouteTable<T>(): RouteTable<T> {
  const root = emptyNode<T>();

  /** The first place that fits and from which something is taken; what is written out goes before what stands for anything. */
  function walk<R>(
    node: Node<T>,
    parts: readonly string[],
    at: number,
    take: (found: Map<string, T>) => R | undefined,
  ): R | undefined {
    const part = parts[at];
    if (part === undefined) return take(node.byMethod);
    const fixed = node.fixed.get(part);
    let found: R | undefined = fixed && walk(fixed, parts, at + 1, take);
    if (found === undefined && node.any && part !== '') found = walk(node.any, parts, at + 1, take);
    return found ?? (node.rest.size > 0 ? take(node.rest) : undefined);
  }

  return {
    add(method, pattern, value) {
      let node = root;
      const parts = partsOf(pattern);
      if (parts.at(-1) === '*') {
        for (const part of parts.slice(0, -1)) node = child(node, part);
        node.rest.set(method, value);
        return;
      }
      for (const part of parts) node = child(node, part);
      node.byMethod.set(method, value);
    },
    find: (method, url) => walk(root, partsOf(url), 0, (found) => found.get(method)),
    methods(url) {
      const all = new Set<string>();
      walk<never>(root, partsOf(url), 0, (found) => {
        for (const method of found.keys()) all.add(method);
        return undefined;
      });
      return [...all].sort();
    },
  };
}

function emptyNode<T>(): Node<T> {
  return { fixed: new Map(), any: undefined, rest: new Map(), byMethod: new Map() };
}

function child<T>(node: Node<T>, part: string): Node<T> {
  if (part.startsWith(':')) {
    node.any ??= emptyNode();
    return node.any;
  }
  const found = node.fixed.get(part) ?? emptyNode<T>();
  node.fixed.set(part, found);
  return found;
}

function partsOf(url: string): string[] {
  const mark = url.indexOf('?');
  const end = mark < 0 ? url.length : mark;
  return url.slice(1, end > 1 && url[end - 1] === '/' ? end - 1 : end).split('/');
}
