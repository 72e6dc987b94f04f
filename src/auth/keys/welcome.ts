/** Formats the text that the first start on an empty embedded database prints: the key and a first call. */
export function welcome(url: string, key: string): string {
  const line = '═'.repeat(78);
  return `
${line}
  Your API key. Copy it now: it is shown only once.

      ${key}

  A first call:

      curl -H 'Authorization: Bearer ${key}' ${url}/v1/pets

  To explore every operation, open ${url}/docs and press Authorize.
  More keys and accounts: ${url}/console
${line}

`;
}
