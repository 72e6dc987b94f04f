// Checks that every production package has a licence that permits any use: node test/licences.ts
import { execFileSync } from 'node:child_process';

const PERMISSIVE = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['Unlicense', 'CC0-1.0', 'Python-2.0'],
]);

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  /** The form of old packages. */
  readonly licenses?: readonly { readonly type: string }[];
}

const packages = JSON.parse(
  execFileSync('npm', ['query', '.prod'], { encoding: 'utf8', maxBuffer: 2 ** 27 }),
) as Package[];

const licenceOf = ({ license, licenses = [] }: Package) =>
  license ?? licenses.map(({ type }) => type).join(' AND ');

/** Of alternatives, one is enough. */
const isPermissive = (each: Package) =>
  licenceOf(each)
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((option) => option.split(' AND ').every((part) => PERMISSIVE.has(part)));

const others = packages.filter((each) => !isPermissive(each));
for (const each of others) console.error(`${each.name}@${each.version}: ${licenceOf(each)}`);
console.log(`${packages.length} packages, ${others.length} without a permissive licence`);
process.exitCode = others.length === 0 && packages.length > 0 ? 0 : 1;
