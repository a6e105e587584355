/** Which methods a path knows, for telling 405 from 404. Asked only when no route matched. */
export function createMethodTable(): { add(method: string, path: string): void; allowed(url: string): string[] } {
  const rows: { method: string; pattern: RegExp }[] = [];
  return {
    add(method, path) {
      const source = path
        .split('/')
        .map((segment) =>
          segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.*' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
        )
        .join('/');
      rows.push({ method, pattern: new RegExp(`^${source}/?$`) });
    },
    allowed(url) {
      const path = url.split('?')[0] ?? '';
      return [...new Set(rows.filter((row) => row.pattern.test(path)).map((row) => row.method))].sort();
    },
  };
}
