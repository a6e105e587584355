// The API page: shows openapi.json and tries requests out. No library, nothing from outside.
const element = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((c) => c !== undefined));
  return node;
};

const base = new URL('.', window.location.href).href.replace(/\/$/, '');

/** One row a property, nested ones by dotted path. */
function propertyRows(schema, path = '', depth = 0) {
  if (!schema || depth > 6) return [];
  if (schema.type === 'array') return propertyRows(schema.items, `${path}[]`, depth + 1);
  if (schema.type !== 'object') return path === '' ? [] : [[path, describeType(schema), false]];
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const full = path === '' ? name : `${path}.${name}`;
    const row = [full, describeType(property), (schema.required ?? []).includes(name)];
    const inner = property.type === 'array' ? property.items : property;
    return [row, ...(inner?.type === 'object' ? propertyRows(property, full, depth + 1) : [])];
  });
}

function describeType(schema) {
  const values = schema.enum ?? schema.anyOf?.map((s) => s.const).filter((v) => v !== undefined);
  if (values?.length) return values.join(' | ');
  const bounds = [
    schema.format,
    schema.pattern && `pattern ${schema.pattern}`,
    schema.minLength !== undefined && `from ${schema.minLength} characters`,
    schema.maxLength !== undefined && `to ${schema.maxLength} characters`,
    schema.minimum !== undefined && `from ${schema.minimum}`,
    schema.maximum !== undefined && `to ${schema.maximum}`,
    schema.maxItems !== undefined && `at most ${schema.maxItems} items`,
  ].filter(Boolean);
  return [schema.type ?? 'any', ...bounds].join(', ');
}

function table(rows) {
  if (rows.length === 0) return undefined;
  const body = rows.map(([name, type, required]) =>
    element('tr', {}, element('td', {}, element('code', {}, name), required ? ' *' : ''), element('td', {}, type)),
  );
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, element('th', {}, 'Name (* required)'), element('th', {}, 'Value'))),
    element('tbody', {}, ...body),
  );
}

/** A body to start from: the required properties. */
function example(schema) {
  const values = schema?.enum ?? schema?.anyOf?.map((s) => s.const);
  if (values) return values[0];
  if (schema?.type === 'object') {
    return Object.fromEntries((schema.required ?? []).map((name) => [name, example(schema.properties[name])]));
  }
  if (schema?.type === 'array') return [example(schema.items)];
  return { integer: schema?.minimum ?? 0, number: 0, boolean: false }[schema?.type] ?? '';
}

function tryOut(method, path, operation) {
  const fields = (operation.parameters ?? [])
    .filter((p) => p.in === 'path' || p.in === 'query')
    .map((p) => ({
      ...p,
      input: element('input', { 'aria-label': p.name, placeholder: `${p.name}${p.required ? ' *' : ''}` }),
    }));
  const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const text =
    media === undefined ? undefined : element('textarea', { 'aria-label': 'request body', spellcheck: 'false' });
  if (text) text.value = media === 'application/json' ? JSON.stringify(example(content.schema), null, 2) : '';
  const output = element('pre', { hidden: '' });

  const send = async () => {
    let target = path;
    const query = new URLSearchParams();
    for (const field of fields) {
      if (field.in === 'path') target = target.replace(`{${field.name}}`, encodeURIComponent(field.input.value));
      else if (field.input.value !== '') query.append(field.name, field.input.value);
    }
    const token = document.getElementById('token').value.trim();
    const headers = { 'X-Error-Format': 'problem-details' };
    if (token !== '') headers.Authorization = `Bearer ${token}`;
    if (text && text.value !== '') headers['Content-Type'] = media;
    output.hidden = false;
    output.textContent = '…';
    try {
      const response = await fetch(`${base}${target}${query.size > 0 ? `?${query}` : ''}`, {
        method,
        headers,
        body: text && text.value !== '' ? text.value : undefined,
      });
      const body = await response.text();
      const shown = response.headers.get('content-type')?.includes('json')
        ? JSON.stringify(JSON.parse(body), null, 2)
        : body;
      output.textContent = `${response.status} ${response.statusText}\n${[...response.headers].map(([k, v]) => `${k}: ${v}`).join('\n')}\n\n${shown}`;
    } catch (error) {
      output.textContent = String(error);
    }
  };
  return element(
    'div',
    {},
    element('div', { class: 'row' }, ...fields.map((f) => f.input)),
    text,
    element('div', { class: 'row' }, element('button', { type: 'button', onclick: send }, 'Send')),
    output,
  );
}

function operationNode(method, path, operation) {
  const inside = element('div', { class: 'inside' });
  const node = element(
    'details',
    { 'data-search': `${method} ${path} ${operation.summary} ${operation.description}`.toLowerCase() },
    element(
      'summary',
      {},
      element('span', { class: `method ${method}` }, method),
      element('code', {}, path),
      element('span', {}, operation.summary),
    ),
    inside,
  );
  // Filled when opened: eighty forms at once would only be in the way.
  node.addEventListener('toggle', () => {
    if (!node.open || inside.childElementCount > 0) return;
    const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
    const [status, success] = Object.entries(operation.responses)[0];
    const answer = Object.values(success.content ?? {})[0]?.schema;
    const parts = [
      element('p', {}, operation.description || 'No permission is asked for.'),
      ...section(
        'Parameters',
        (operation.parameters ?? [])
          .filter((p) => p.name)
          .map((p) => [`${p.name} (${p.in})`, describeType(p.schema), p.required]),
      ),
      ...section('Request body', propertyRows(body)),
      ...section(`Answer ${status}`, propertyRows(answer)),
      element('h3', {}, 'Try it'),
      tryOut(method, path, operation),
    ];
    inside.append(...parts);
  });
  return node;
}

function section(title, rows) {
  return rows.length === 0 ? [] : [element('h3', {}, title), table(rows)];
}

async function show() {
  const main = document.getElementById('operations');
  const api = await (await fetch('openapi.json')).json();
  document.getElementById('title').textContent = api.info.title;
  document.getElementById('about').textContent = api.info.description;
  const groups = new Map();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(operationNode(method.toUpperCase(), path, operation));
    }
  }
  main.replaceChildren(...[...groups].map(([tag, nodes]) => element('section', {}, element('h2', {}, tag), ...nodes)));
  document.getElementById('find').addEventListener('input', (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    for (const node of main.querySelectorAll('details')) node.hidden = !node.dataset.search.includes(wanted);
    for (const group of main.querySelectorAll('section')) group.hidden = !group.querySelector('details:not([hidden])');
  });
}

show().catch((error) => {
  document.getElementById('operations').textContent = `The API document could not be read: ${error}`;
});
