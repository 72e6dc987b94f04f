/** A request that a sample sends. */
interface SampleRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A literal of JavaScript, Python and Go. */
const quote = (text: string) => JSON.stringify(text);

const quoteForShell = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The languages in which the explorer writes requests: the name of each, the HTTP library, and the writer of a program. */
export const LANGUAGES = [
  {
    lang: 'Shell',
    label: 'curl',
    write: ({ method, url, headers, body }: SampleRequest) =>
      [
        `curl --request ${method} ${quoteForShell(url)}`,
        ...Object.entries(headers).map(([name, value]) => `--header ${quoteForShell(`${name}: ${value}`)}`),
        ...(body === undefined ? [] : [`--data ${quoteForShell(body)}`]),
      ].join(' \\\n  '),
  },
  {
    lang: 'JavaScript',
    label: 'fetch',
    write: ({ method, url, headers, body }: SampleRequest) => `const response = await fetch(${quote(url)}, {
  method: ${quote(method)},
  headers: ${JSON.stringify(headers, null, 2).replaceAll('\n', '\n  ')},${body === undefined ? '' : `\n  body: ${quote(body)},`}
});
console.log(response.status, await response.text());`,
  },
  {
    lang: 'Python',
    label: 'requests',
    write: ({ method, url, headers, body }: SampleRequest) => `import requests

response = requests.request(
    ${quote(method)},
    ${quote(url)},
    headers=${JSON.stringify(headers, null, 4).replaceAll('\n', '\n    ')},${body === undefined ? '' : `\n    data=${quote(body)}.encode(),`}
)
print(response.status_code, response.text)`,
  },
  {
    lang: 'Go',
    label: 'net/http',
    write: ({ method, url, headers, body }: SampleRequest) => `package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	request, err := http.NewRequest(${quote(method)}, ${quote(url)}, strings.NewReader(${quote(body ?? '')}))
	if err != nil {
		log.Fatal(err)
	}
${Object.entries(headers)
  .map(([name, value]) => `\trequest.Header.Set(${quote(name)}, ${quote(value)})\n`)
  .join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
}`,
  },
];
