import { type ServiceName, toWire } from '@kwit/contract/names';

/** A schema in the configured name: property names, `required` and enumeration values as they stand on the wire. */
export function wireSchema(name: ServiceName, schema: unknown): Record<string, unknown> {
  // What TypeBox keeps for its types is not part of the JSON form.
  const plain = JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
  return name === 'svc' ? plain : (rename(plain, '', name) as Record<string, unknown>);
}

function wireProperty(name: ServiceName, property: string): string {
  return Object.keys(toWire(name, { [property]: null }))[0] ?? property;
}

function wireValue(name: ServiceName, property: string, value: unknown): unknown {
  return (toWire(name, { [property]: value }) as Record<string, unknown>)[wireProperty(name, property)];
}

/** @param property name of the property whose schema this is, since values are told by the property that holds them */
function rename(node: unknown, property: string, name: ServiceName): unknown {
  if (Array.isArray(node)) return node.map((item) => rename(item, property, name));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === 'properties') {
        const properties = Object.entries(value as object).map(([p, schema]) => [wireProperty(name, p), rename(schema, p, name)]);
        return [key, Object.fromEntries(properties)];
      }
      if (key === 'required') return [key, (value as string[]).map((p) => wireProperty(name, p))];
      if (key === 'const') return [key, wireValue(name, property, value)];
      if (key === 'enum') return [key, (value as unknown[]).map((v) => wireValue(name, property, v))];
      return [key, rename(value, property, name)];
    }),
  );
}
