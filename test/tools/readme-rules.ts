// Writes the table of the design's rules into README, from the rules themselves. Usage: node test/tools/readme-rules.ts
import { readFileSync, writeFileSync } from 'node:fs';
import '../support/language.ts';
import { RULES } from '../../src/design/rules/index.ts';

const HEAD = '| rule | severity | what it wants | where it comes from |\n| --- | --- | --- | --- |\n';
const README = new URL('../../README.md', import.meta.url);

const readme = readFileSync(README, 'utf8');
const start = readme.indexOf(HEAD);
if (start < 0) throw new Error('README has no table of rules');
const end = readme.indexOf('\n\n', start);
const rows = RULES.map(({ id, severity, title, source }) => `| \`${id}\` | ${severity} | ${title()} | ${source} |`);
writeFileSync(README, `${readme.slice(0, start)}${HEAD}${rows.join('\n')}${readme.slice(end)}`);
