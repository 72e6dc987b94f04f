/** What is printed once, at the first start on an empty embedded database: the key, and a first call. */
export function welcome(url: string, key: string): string {
  const line = '═'.repeat(78);
  return `
${line}
  Your API key. It is shown this once and kept nowhere: copy it now.

      ${key}

  A first call:

      curl -H 'Authorization: Bearer ${key}' ${url}/v1/pets

  To explore every operation, open ${url}/docs and press Authorize.
  More keys and accounts: ${url}/console
${line}

`;
}
