// Runs biome. Its npm wrapper needs the packages of all platforms, which some registries lack. The binary for the
// platform of this machine is enough.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packageFile = createRequire(import.meta.url).resolve(`@biomejs/cli-linux-${process.arch}/package.json`);
const { status } = spawnSync(join(dirname(packageFile), 'biome'), process.argv.slice(2), { stdio: 'inherit' });
process.exitCode = status ?? 1;
