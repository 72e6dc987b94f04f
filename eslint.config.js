import eslint from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import ts from 'typescript';
import tseslint from 'typescript-eslint';

/** Objects of dependencies and of Node get no members, and their methods are not replaced. */
const noChangedDependency = {
  create(context) {
    const { program, esTreeNodeToTSNodeMap } = context.sourceCode.parserServices;
    const checker = program.getTypeChecker();
    const isInDependency = (declaration) =>
      /\/node_modules\/(?!typescript\/)/.test(declaration.getSourceFile().fileName);
    // A class, rather than the shape of data.
    const isForeign = ({ symbol }) =>
      symbol &&
      (symbol.flags & ts.SymbolFlags.Value) !== 0 &&
      (symbol.declarations ?? []).some(isInDependency);
    const typesOf = (node) => {
      const type = checker.getApparentType(checker.getTypeAtLocation(esTreeNodeToTSNodeMap.get(node)));
      return type.isUnionOrIntersection() ? type.types : [type];
    };
    const isMethod = (declaration) =>
      ts.isMethodDeclaration(declaration) || ts.isMethodSignature(declaration);
    return {
      'CallExpression[callee.object.name="Object"][callee.property.name=/^(assign|definePropert(y|ies))$/]'(
        node,
      ) {
        if (typesOf(node.arguments[0]).some(isForeign)) {
          context.report({ node, message: 'Objects of dependencies get no members.' });
        }
      },
      'AssignmentExpression[operator="="] > MemberExpression.left[computed=false]'({ property }) {
        const { declarations = [] } = checker.getSymbolAtLocation(esTreeNodeToTSNodeMap.get(property)) ?? {};
        if (declarations.some((it) => isMethod(it) && isInDependency(it))) {
          context.report({ node: property, message: 'Methods of dependencies are not replaced.' });
        }
      },
    };
  },
};

/** Inner paths of packages that their README mentions. */
const ENTRY_POINTS = [
  'csv-stringify/sync',
  'import-in-the-middle/register-hooks.mjs',
  'simpledotcss/simple.min.css',
  ...['swagger-ui-dist/swagger-ui.css', 'swagger-ui-dist/swagger-ui-bundle.js'],
];
const INNER_PATH = `/^(?!(${ENTRY_POINTS.join('|').replaceAll('/', '\\u002F')})$|node:)(@[^\\u002F]+\\u002F)?[\\w-][^\\u002F]*\\u002F/`;
const IMPORTS = 'ImportDeclaration, ExportNamedDeclaration, ExportAllDeclaration, ImportExpression';

/** The methods with an underscore that subclasses of Node's streams implement. */
const OF_STREAMS = ['_construct', '_read', '_write', '_writev', '_final', '_transform', '_flush', '_destroy'];

/** Uses of dependencies and of Node that are not part of their public interfaces. */
const PRIVATE = {
  'Import a package, or an entry point in its documentation.': [
    `:matches(${IMPORTS}) > .source[value=${INNER_PATH}]`,
    `TSImportType Literal[value=${INNER_PATH}]`,
    `CallExpression[callee.property.name="resolve"] > Literal[value=${INNER_PATH}]`,
    `CallExpression[callee.name="require"] > Literal[value=${INNER_PATH}]`,
    `CallExpression[callee.callee.name="createRequire"] > Literal[value=${INNER_PATH}]`,
  ],
  'Only the class that declares a member with an underscore uses it.': [
    'MemberExpression[property.value=/^_/]',
  ],
  'Prototypes do not change.': [
    'AssignmentExpression > MemberExpression.left[property.name="prototype"]',
    'AssignmentExpression > .left > MemberExpression[property.name="prototype"]',
    'CallExpression[callee.object.name="Object"]:not([callee.property.name="create"])[arguments.0.property.name="prototype"]',
  ],
  'Listeners of others are not removed or reordered.': [
    'CallExpression[callee.property.name=/^(removeAllListeners|rawListeners|listeners|prepend(Once)?Listener)$/]',
  ],
  "No code uses the stack of Express's router.": [
    'MemberExpression[property.name="stack"]:not([object.name="error"])',
  ],
};
const RESTRICTED = Object.entries(PRIVATE).flatMap(([message, selectors]) =>
  selectors.map((selector) => ({ selector, message })),
);

export default tseslint.config(
  // Tests compile the programs together with generated code, and the example with its own dependencies.
  { ignores: ['dist/', 'node_modules/', 'data/', 'test/clients/programs/', 'examples/'] },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { project: 'tsconfig.json' } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // A Nest module is a class without members.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // DTO classes describe the shape of objects from JSON and from rows.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
    },
  },
  {
    // Clients choose the texts that these patterns match, so each must take linear time.
    files: ['{src,migrations}/**'],
    ...regexp.configs['flat/recommended'],
    rules: {
      ...regexp.configs['flat/recommended'].rules,
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
      // Patterns use [eE] and ranges like the grammars of specifications.
      'regexp/use-ignore-case': 'off',
      'regexp/no-obscure-range': 'off',
      // A character class may use a constant that has further uses.
      'regexp/prefer-range': 'off',
    },
  },
  {
    // Errors of services are DomainErrors. Only src/http maps them to responses.
    files: ['src/**/*.{service,repository,errors}.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [{ group: ['@nestjs/common'], importNamePattern: '(Exception|^Http)' }] },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { project: { rules: { 'no-changed-dependency': noChangedDependency } } },
    rules: {
      'project/no-changed-dependency': 'error',
      'no-proto': 'error',
      'no-underscore-dangle': [
        'error',
        {
          allow: OF_STREAMS,
          allowInObjectDestructuring: false,
          enforceInMethodNames: true,
          enforceInClassFields: true,
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Object', property: 'setPrototypeOf' },
        ...['get', 'set', 'deleteProperty', 'construct', 'setPrototypeOf'].map((property) => ({
          object: 'Reflect',
          property,
        })),
      ],
      'no-restricted-syntax': ['error', ...RESTRICTED],
    },
  },
  { files: ['**/*.js'], ...tseslint.configs.disableTypeChecked },
  {
    // Scripts of the pages, and the globals of browsers that they use.
    files: ['src/**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['clearTimeout', 'confirm', 'document', 'fetch', 'location', 'matchMedia', 'navigator'],
          ...['sessionStorage', 'setTimeout', 'window', 'MutationObserver', 'URL', 'URLSearchParams'],
          ...['HTMLElement', 'HTMLFormElement', 'HTMLInputElement', 'HTMLTemplateElement', 'SwaggerUIBundle'],
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
);
