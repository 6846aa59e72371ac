// V8's compiled code for a package, made beforehand: the first start is then as fast as the second.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import { V8_FLAG } from './compile-cache.js';
import { listFiles, runTool } from './package-tools.js';
import { getEntryName } from './packaged-code.js';

/**
 * Flags that make V8's cache reproducible: a fixed seed for string hashes, one thread, no flushing of bytecode, and a
 * heap so large that no garbage collection starts. After one, V8 reuses memory without clearing it, and the unused
 * bytes of a bytecode array go into the cache as they are.
 */
const STABLE_FLAGS = [
  ...['--hash-seed=1', '--random-seed=1', '--single-threaded', '--no-flush-bytecode'],
  ...['--min-semi-space-size=64', '--max-semi-space-size=64', '--initial-old-space-size=256'],
];
/** Offsets in a cache file, in bytes: V8's hash of its flags, the end of Node.js's header, and the checksum in it. */
const FLAG_HASH_OFFSET = 32;
const NODE_HEADER_BYTES = 20;
const CHECKSUM_OFFSET = 16;

/**
 * Compiles the modules of the commands and front ends into `compiled`, under their own names. File names in Node.js's
 * cache depend on the path of the program: bin/packaged-code.js creates links with these names at the first start.
 * @param node the command that runs the package's Node.js: the file alone, or an emulator before it
 * @param stagedLib the directory `lib` of the package
 * @param workDir a directory for temporary files
 */
export function createCompileCache(node, stagedLib, workDir) {
  // V8's data contains the path of the file: two packages have equal bytes only if compiled at one path.
  const lib = join(tmpdir(), 'upi-wizard-package');
  mkdirSync(lib, { mode: 0o700 });
  try {
    for (const name of ['dist', 'package.json']) cpSync(join(stagedLib, name), join(lib, name), { recursive: true });
    compileAll(node, lib, join(stagedLib, 'compiled'), workDir);
  } finally {
    rmSync(lib, { recursive: true, force: true });
  }
}

function compileAll(node, lib, compiledDir, workDir) {
  const [seededDir, standardDir] = [join(workDir, 'cache-seeded'), join(workDir, 'cache-standard')];
  for (const dir of [seededDir, standardDir]) rmSync(dir, { recursive: true, force: true });
  // Leaves out site, stand-in and boot-server: importing one of these programs would run it.
  const modules = listFiles(join(lib, 'dist')).flatMap(({ path }) =>
    /^(chunks\/.*|cli|wizard|plain)\.js$/.test(path) ? [`dist/${path}`] : [],
  );
  compile(node, lib, seededDir, modules, STABLE_FLAGS);
  compile(node, lib, standardDir, modules.slice(0, 1), [V8_FLAG]);
  const flagHash = readEntries(standardDir)[0].data.readUInt32LE(FLAG_HASH_OFFSET);
  const dataByName = new Map(readEntries(seededDir).map(({ name, data }) => [name, data]));
  for (const path of modules) {
    const data = dataByName.get(getEntryName(join(lib, path)));
    if (data === undefined) throw new Error(`Node.js has not compiled ${path}: has the format of its cache changed?`);
    // V8 accepts the data only with the hash of the flags in use. Replaces the hash of STABLE_FLAGS with the hash of a
    // normal start.
    data.writeUInt32LE(flagHash, FLAG_HASH_OFFSET);
    data.writeUInt32LE(crc32(data.subarray(NODE_HEADER_BYTES)), CHECKSUM_OFFSET);
    const file = join(compiledDir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, data);
  }
}

function compile(node, lib, dir, modules, flags) {
  const urls = modules.map((path) => pathToFileURL(join(lib, path)).href);
  const script = `import { enableCompileCache, flushCompileCache } from 'node:module';
enableCompileCache(${JSON.stringify(dir)});
for (const url of ${JSON.stringify(urls)}) await import(url);
flushCompileCache();
process.exit(0);`;
  const [file, ...argv] = node;
  runTool(file, [...argv, ...flags, '--input-type=module', '--eval', script]);
}

/** Reads the files of a compile cache, which Node.js keeps in one directory for each of its versions. */
function readEntries(dir) {
  const [tag = ''] = readdirSync(dir);
  return readdirSync(join(dir, tag)).map((name) => ({ name, data: readFileSync(join(dir, tag, name)) }));
}
