// Runs biome. Its npm wrapper wants the packages of every platform there is, which not every registry has; the binary of
// this machine's platform is all that is needed.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packageFile = createRequire(import.meta.url).resolve(`@biomejs/cli-linux-${process.arch}/package.json`);
const { status } = spawnSync(join(dirname(packageFile), 'biome'), process.argv.slice(2), { stdio: 'inherit' });
process.exitCode = status ?? 1;
