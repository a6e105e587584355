/**
 * Circles of a graph: one shortest circle for every group of nodes that reach each other (Tarjan's components), so the work grows
 * with the number of edges and not with the number of paths.
 * @param {Map<string, Set<string>>} edges
 * @returns {string[][]} each `[a, b, ..., a]`
 */
export function circles(edges) {
  return components(edges)
    .map((group) => shortestCircle(edges, group))
    .filter((circle) => circle !== undefined);
}

function components(edges) {
  const order = new Map();
  const low = new Map();
  const stack = [];
  const onStack = new Set();
  const found = [];

  function visit(start) {
    // Without recursion: a long chain must not overflow the stack.
    const work = [[start, nextOf(start)]];
    enter(start);
    while (work.length > 0) {
      const [node, rest] = work.at(-1);
      const { value: next, done } = rest.next();
      if (!done) {
        if (!order.has(next)) {
          enter(next);
          work.push([next, nextOf(next)]);
        } else if (onStack.has(next)) low.set(node, Math.min(low.get(node), order.get(next)));
        continue;
      }
      work.pop();
      const parent = work.at(-1)?.[0];
      if (parent !== undefined) low.set(parent, Math.min(low.get(parent), low.get(node)));
      if (low.get(node) === order.get(node)) {
        const group = stack.splice(stack.lastIndexOf(node));
        for (const member of group) onStack.delete(member);
        found.push(new Set(group));
      }
    }
  }
  function enter(node) {
    order.set(node, order.size);
    low.set(node, order.get(node));
    stack.push(node);
    onStack.add(node);
  }
  function nextOf(node) {
    return (edges.get(node) ?? new Set()).values();
  }

  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return found;
}

/** Breadth first from the alphabetically first member back to itself. */
function shortestCircle(edges, group) {
  const start = [...group].sort()[0];
  const cameFrom = new Map();
  const queue = [start];
  for (let at = 0; at < queue.length; at += 1) {
    for (const next of edges.get(queue[at]) ?? []) {
      if (next === start) {
        const path = [start];
        for (let node = queue[at]; node !== start; node = cameFrom.get(node)) path.unshift(node);
        return [start, ...path];
      }
      if (!group.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, queue[at]);
      queue.push(next);
    }
  }
  return undefined;
}
