import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../../src/session/session.ts';
import { findPrompts, getTracedSession, HOSTS_STEP, plainArgv, TYPED_ANSWERS } from '../answers.ts';
import { createTally, type Row, sampleEvenly, type Tally, type Torture } from '../row.ts';
import { createEnvironment, diffFiles, diffJson, OFFLINE, PROGRAM, readFilesBelow, writeDesign } from '../run-files.ts';
import { isChangeBelow, listKillPoints, readCalls, run, runTraced, type TracedRun } from '../strace.ts';

const ERRORS = ['ENOSPC', 'EIO', 'EROFS', 'EDQUOT'] as const;

/** Full, broken and read-only disks under the wizard, `generate` and the commands on an install directory. */
export const fullDisk: Row = {
  description:
    'Run the wizard, generate and the commands on an install directory while each kind of system call that writes fails with ENOSPC, EIO, EROFS or EDQUOT, on tmpfs and ext4 that fill up (20 sizes each), and on a read-only file system.',
  target:
    '>= 200 cases; the error is reported in a sentence, never as an internal error (exit 1); saved data stays readable, and the next run continues',
  minCases: 200,
  needs: ['strace', 'unshare', 'mke2fs', 'mount', 'root'],
  async run(torture) {
    const tally = createTally(torture.report);
    const session = await getTracedSession(torture);
    const refusedCalls = await tryRefusedCalls(torture, tally, session.savedDesigns);
    const fullDisks = await tryFullDisks(torture, tally, session.savedDesigns);
    const readOnlyCommands = await tryReadOnlyDisk(torture, tally, session.dir);
    const figure = `${refusedCalls} refused calls, ${fullDisks} disks that fill up, ${readOnlyCommands} commands on a read-only disk`;
    return { cases: refusedCalls + fullDisks + readOnlyCommands, failures: tally.failures, figure };
  },
};

/** Problems of a run on a disk that refuses writes: exit code 1, no exit code, or a stack trace. */
function findCrashes({ code, stdout, stderr }: TracedRun): string[] {
  const output = stdout + stderr;
  return [
    ...(code === 1 || code === null ? [`it ended with ${code}: ${output.slice(-400)}`] : []),
    ...(/^ +at .*[:(]\d+/m.test(output) ? [`a stack trace: ${output.slice(-400)}`] : []),
  ];
}

/** Once the disk takes writes again, checks that the session continues from the confirmed saves. */
async function checkResume(
  torture: Torture,
  dir: string,
  first: TracedRun,
  saved: readonly unknown[],
): Promise<string[]> {
  const shown = findPrompts(first.stdout).length;
  const [file = '', ...args] = plainArgv(dir);
  const env = createEnvironment(torture.dir);
  const again = await run(file, args, { cwd: torture.dir, env, input: '\n'.repeat(60), stopAt: HOSTS_STEP });
  const { design } = openSession(dir).load();
  const acceptable = saved.slice(Math.max(0, shown - 2));
  const isSaved = shown < 2 || acceptable.some((one) => diffJson(design, one).length === 0);
  return [
    ...findCrashes(again),
    ...(isSaved
      ? []
      : [`after ${shown} questions an answer is lost: ${diffJson(design, acceptable[0]).slice(0, 3).join('; ')}`]),
  ];
}

async function tryRefusedCalls(torture: Torture, tally: Tally, saved: readonly unknown[]): Promise<number> {
  const env = createEnvironment(torture.dir);
  const design = writeDesign(join(torture.dir, 'design'));
  const out = join(torture.dir, 'out');
  const dir = join(torture.dir, 'refused');
  const log = join(torture.dir, 'refused.log');
  const recreateDir = (path: string) => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { mode: 0o700 });
  };
  const generate = [...PROGRAM, 'generate', design, '--out', out];
  recreateDir(out);
  await runTraced({ argv: generate, cwd: torture.dir, env, log });
  const expected = readFilesBelow(out);
  const generatePoints = pickByKind(listKillPoints(log, out), torture.isShort ? 1 : 3);
  recreateDir(dir);
  await runTraced({
    argv: plainArgv(dir),
    cwd: torture.dir,
    env,
    log,
    input: TYPED_ANSWERS.join('\n'),
    stopAt: HOSTS_STEP,
  });
  // A short run leaves out the lock files: they have more kinds of calls than its time allows.
  const allSessionPoints = listKillPoints(log, dir).filter(
    ({ what }) => !torture.isShort || !what.includes('/owners/'),
  );
  const sessionPoints = pickByKind(allSessionPoints, torture.isShort ? 1 : 3);
  let cases = 0;
  const skipCase = () => {
    cases -= 1;
    return [];
  };
  for (const [index, { name, nth, what }] of [...generatePoints, ...sessionPoints].entries()) {
    for (const error of torture.isShort ? ERRORS.slice(index % 4, (index % 4) + 1) : ERRORS) {
      const inject = `${name}:error=${error}:when=${nth}`;
      const isGenerate = index < generatePoints.length;
      // A few kinds are enough to show that the row works.
      if (torture.isShort && index % 8 !== 0) continue;
      cases += 1;
      await tally.try(`${isGenerate ? 'generate' : 'session'}, ${error} from ${what}`, async () => {
        recreateDir(isGenerate ? out : dir);
        if (isGenerate) {
          const first = await runTraced({ argv: generate, cwd: torture.dir, env, log, inject });
          if (isOtherCallRefused(log, out)) return skipCase();
          const [file = '', ...args] = generate;
          const again = await run(file, args, { cwd: torture.dir, env });
          return [
            ...findCrashes(first),
            ...(again.code === 0 ? [] : [`the next run ended with ${again.code}: ${again.stderr}`]),
            ...diffFiles(readFilesBelow(out), expected),
          ];
        }
        const input = TYPED_ANSWERS.join('\n');
        const first = await runTraced({
          argv: plainArgv(dir),
          cwd: torture.dir,
          env,
          log,
          inject,
          input,
          stopAt: HOSTS_STEP,
        });
        if (isOtherCallRefused(log, dir)) return skipCase();
        return [...findCrashes(first), ...(await checkResume(torture, dir, first, saved))];
      });
    }
  }
  return cases;
}

/** Each thread counts its own calls: the refused call may belong to another thread and not concern this directory. */
function isOtherCallRefused(log: string, below: string): boolean {
  return readCalls(log).some((call) => call.result?.includes('INJECTED') && !isChangeBelow(call, below));
}

/** Picks some points of each kind of call. */
function pickByKind<T extends { readonly name: string }>(points: readonly T[], limit: number): T[] {
  const kinds = new Set(points.map(({ name }) => name));
  return [...kinds].flatMap((kind) =>
    sampleEvenly(
      points.filter(({ name }) => name === kind),
      limit,
    ),
  );
}

/** Free space on the disk when the program starts (KiB). */
const FREE_KIB = Array.from({ length: 20 }, (_, index) => 4 + index * 20);

async function tryFullDisks(torture: Torture, tally: Tally, saved: readonly unknown[]): Promise<number> {
  const env = createEnvironment(torture.dir);
  const design = writeDesign(join(torture.dir, 'design'));
  const referenceDir = join(torture.dir, 'whole');
  const generate = (out: string) => [...PROGRAM, 'generate', design, '--out', out];
  const [program = '', ...args] = generate(referenceDir);
  await run(program, args, { cwd: torture.dir, env });
  const expected = readFilesBelow(referenceDir);
  const sessionOptions = { input: TYPED_ANSWERS.join('\n'), stopAt: HOSTS_STEP };
  let cases = 0;
  for (const kind of ['tmpfs', 'ext4'] as const) {
    for (const free of torture.isShort ? [FREE_KIB[kind === 'ext4' ? 1 : 5] ?? 0] : FREE_KIB) {
      const tryDisk = async (what: string, check: () => Promise<string[]>) => {
        cases += 1;
        await tally.try(`${what}, ${free} KiB free on ${kind}`, check);
      };
      const checkGenerate = async () => {
        const { first, second, dir } = await runOnFullDisk(torture, kind, free, generate);
        const failed = second.code === 0 ? [] : [`the next run ended with ${second.code}: ${second.stderr}`];
        return [...findCrashes(first), ...failed, ...diffFiles(readFilesBelow(dir), expected)];
      };
      const checkSession = async () => {
        const { first, second, dir } = await runOnFullDisk(torture, kind, free, plainArgv, sessionOptions);
        return [...findCrashes(first), ...findCrashes(second), ...(await checkResume(torture, dir, first, saved))];
      };
      // A short run fills one disk of each kind, each under one program.
      if (!torture.isShort || kind === 'ext4') await tryDisk('generate', checkGenerate);
      if (!torture.isShort || kind === 'tmpfs') await tryDisk('session', checkSession);
    }
  }
  return cases;
}

/** A separate mount namespace: it is invisible outside and ends with the script. */
const DISK_SCRIPT = `
set -eu
if [ "$KIND" = tmpfs ]; then mount -t tmpfs -o size=16m,mode=700 torture "$DIR"
else truncate -s 16M "$IMAGE"; mke2fs -q -t ext4 -m 0 "$IMAGE"; mount -o loop "$IMAGE" "$DIR"; chmod 700 "$DIR"; rmdir "$DIR/lost+found"; fi
mkdir "$DIR/d" && chmod 700 "$DIR/d"
left=$(($(stat -f -c '%a * %S' "$DIR") / 1024 - FREE))
head -c "\${left}k" /dev/zero >"$DIR/fill"
# Ends the command when it prints what STOP matches.
step() {
  name=$1; shift; set +e
  "$@" <"$INPUT" >"$OUT/$name.out" 2>"$OUT/$name.err" & command=$!
  while kill -0 $command 2>/dev/null; do
    if [ -n "$STOP" ] && grep -qE "$STOP" "$OUT/$name.out"; then kill -9 $command; fi
    sleep 0.1
  done
  wait $command; echo $? >"$OUT/$name.code"; set -e
}
step first "$@"
cp -a "$DIR/d/." "$OUT/between"
rm "$DIR/fill"
step second "$@"
cp -a "$DIR/d/." "$OUT/after"
`;

/** Runs a command twice on a disk with `free` KiB left. Before the second run the space is freed. */
async function runOnFullDisk(
  torture: Torture,
  kind: 'tmpfs' | 'ext4',
  free: number,
  argv: (dir: string) => readonly string[],
  { input = '', stopAt }: { readonly input?: string; readonly stopAt?: RegExp } = {},
) {
  const mountPoint = join(torture.dir, 'disk');
  const out = join(torture.dir, 'disk-out');
  for (const each of [mountPoint, out]) {
    rmSync(each, { recursive: true, force: true });
    mkdirSync(each, { mode: 0o700 });
  }
  for (const each of ['between', 'after']) mkdirSync(join(out, each), { mode: 0o700 });
  writeFileSync(join(out, 'input'), input);
  const env = {
    ...createEnvironment(torture.dir),
    ...{
      KIND: kind,
      DIR: mountPoint,
      FREE: String(free),
      OUT: out,
      INPUT: join(out, 'input'),
      STOP: stopAt?.source.replaceAll('\\/', '/') ?? '',
      IMAGE: join(torture.dir, 'image'),
    },
  };
  rmSync(join(torture.dir, 'image'), { force: true });
  const script = ['-m', 'bash', '-c', DISK_SCRIPT, 'disk', ...argv(join(mountPoint, 'd'))];
  const result = await run('unshare', script, { cwd: torture.dir, env });
  if (result.code !== 0) throw new Error(`the disk could not be created: ${result.stderr}`);
  const step = (name: string): TracedRun => {
    const text = (suffix: string) => readFileSync(join(out, `${name}.${suffix}`), 'utf8');
    return { code: Number(text('code')), stdout: text('out'), stderr: text('err') };
  };
  return { first: step('first'), second: step('second'), dir: join(out, 'after') };
}

/** Commands that read an install directory, and commands that act on its cluster. */
const COMMANDS: readonly (readonly string[])[] = [
  ['--plain'],
  ['status'],
  ['csr', 'list'],
  ['csr', 'approve', '--all', '--yes'],
  ['infra', 'plan'],
  ['infra', 'apply', '--yes'],
  ['rehearse', '--answers', 'example', '--plain'],
];

async function tryReadOnlyDisk(torture: Torture, tally: Tally, session: string): Promise<number> {
  const env = createEnvironment(torture.dir);
  const dir = join(torture.dir, 'read-only');
  cpSync(session, dir, { recursive: true });
  const before = readFilesBelow(dir);
  const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
  const commands = torture.isShort ? COMMANDS.slice(0, 2) : COMMANDS;
  for (const command of commands) {
    await tally.try(`${command.join(' ')}, read-only`, async () => {
      const argv = [...OFFLINE, ...PROGRAM, ...command, '--dir', dir];
      const result = await run('unshare', ['-m', 'sh', '-c', script, dir, ...argv], { cwd: torture.dir, env });
      return [...findCrashes(result), ...diffFiles(readFilesBelow(dir), before)];
    });
  }
  return commands.length;
}
