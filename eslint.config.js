import eslint from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  // The programs are compiled by their test, with what is generated for them.
  { ignores: ['dist/', 'node_modules/', 'data/', 'test/clients/programs/'] },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // A Nest module is a class without members.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // DTO classes name shapes; what they hold comes from JSON and from rows.
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
    // Clients choose what these patterns read, so each must take linear time.
    files: ['{src,migrations}/**'],
    ...regexp.configs['flat/recommended'],
    rules: {
      ...regexp.configs['flat/recommended'].rules,
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
      // [eE] and the ranges of a grammar read as their specification writes them.
      'regexp/use-ignore-case': 'off',
      'regexp/no-obscure-range': 'off',
      // A class may be written by a constant that has further uses.
      'regexp/prefer-range': 'off',
    },
  },
  {
    // What goes wrong is a DomainError; only the edge knows that it becomes an answer of HTTP.
    files: ['src/**/*.{service,repository,errors}.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [{ group: ['@nestjs/common'], importNamePattern: '(Exception|^Http)' }] },
      ],
    },
  },
  {
    // Its own configuration is that of an application which has the package installed.
    files: ['test/extension/src/**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, project: './tsconfig.json' } },
  },
  { files: ['**/*.js'], ...tseslint.configs.disableTypeChecked },
  {
    // What runs in a browser, and what it may count on there.
    files: ['src/**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['document', 'fetch', 'location', 'navigator', 'sessionStorage', 'setTimeout', 'window', 'URL'],
          ...['HTMLDialogElement', 'HTMLElement', 'HTMLInputElement', 'HTMLSelectElement', 'Option'],
          ...['SwaggerUIBundle', 'SwaggerUIStandalonePreset'],
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
);
