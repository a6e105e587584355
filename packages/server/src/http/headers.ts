/** On every answer in JSON: nothing of it may be kept on the way. */
export const JSON_HEADERS = { 'cache-control': 'no-cache,no-store', pragma: 'no-cache', expires: '-1' } as const;
