import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';

// Found, not imported: the package would run the whole page's code here, at every start.
const ASSETS_DIRECTORY = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

const ASSETS = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'favicon-32x32.png',
];

// Addresses are relative, so that the page works behind a proxy that adds a path in front.
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Pet store API</title>
    <link rel="icon" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="explorer"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/swagger-ui-standalone-preset.js"></script>
    <script src="docs/explorer.js"></script>
  </body>
</html>
`;

// Swagger UI shows numbers as JavaScript reads them, which rounds integers beyond 2^53. Here answers are
// shown exactly, and the bounds of an int64 parameter, which its format implies, not at all.
const SCRIPT = `const showExactIntegers = ({ getComponent, React: { createElement } }) => ({
  wrapComponents: {
    ParameterExt: (ParameterExt) => (props) =>
      Math.abs(props.xVal) > Number.MAX_SAFE_INTEGER ? null : createElement(ParameterExt, props),
    responseBody: (ResponseBody) => (props) => {
      if (!JSON.rawJSON || !props.contentType?.includes('json')) return createElement(ResponseBody, props);
      const exact = (key, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
      const text = JSON.stringify(JSON.parse(props.content, exact), null, 2);
      const code = { language: 'json', downloadable: true, fileName: 'answer.json', canCopy: true };
      return createElement(
        'div',
        null,
        createElement('h5', null, 'Response body'),
        createElement(getComponent('HighlightCode', true), code, text),
      );
    },
  },
});

SwaggerUIBundle({
  urls: [
    { name: 'Pet store', url: 'openapi.json' },
    { name: 'Accounts and keys', url: 'openapi-accounts.json' },
  ],
  dom_id: '#explorer',
  layout: 'StandaloneLayout',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [showExactIntegers],
  persistAuthorization: true,
  showExtensions: true,
  showCommonExtensions: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  deepLinking: true,
  validatorUrl: null,
});
`;

/** Serves Swagger UI at /docs, from this process alone. */
export function serveExplorer(app: NestExpressApplication): void {
  const express: Express = app.getHttpAdapter().getInstance();
  express.get('/docs', (_request, response) => response.type('html').send(PAGE));
  express.get('/docs/explorer.js', (_request, response) => response.type('js').send(SCRIPT));
  for (const asset of ASSETS) {
    express.get(`/docs/${asset}`, (_request, response) =>
      response.sendFile(asset, { root: ASSETS_DIRECTORY, maxAge: '1h' }),
    );
  }
}
