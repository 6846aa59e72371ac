import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignitionPath, WEB_ROOT } from '../../artifacts/shared/generator.ts';
import type { ProbeAnswer, ProbeQuestion } from '../../checks/site/probe-types.ts';
import { findJob } from '../../host/jobs/job-status.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { findIgnitionExpiry, listPointerProblems } from '../../installer/ignition.ts';
import { SECOND } from '../../platform/clock.ts';

import * as z from '../../platform/zod.ts';
import { probeText } from '../../probes/http-probe.ts';
import type { StepContext } from '../contract.ts';
import { BOOT_SERVER_JOB } from '../shared/machines/boot-server-job.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().diagnosis.site.said;

type IgnitionFile = ProbeQuestion<'ignition'>['files'][number];
type ServedFile = Pick<ProbeAnswer<'ignition'>['files'][number], 'served' | 'servedBy'>;

/** bootstrap.ign of a large cluster has two megabytes. */
const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT = 3 * SECOND;

/**
 * Compares the installer's ignition files with those that the boot server serves. It returns no contents: they hold
 * secrets.
 */
export async function probeIgnitionFiles(
  context: Pick<StepContext, 'dir' | 'resolveEndpoint' | 'clock'>,
  { files }: ProbeQuestion<'ignition'>,
): Promise<ProbeAnswer<'ignition'>> {
  const { dir, clock } = context;
  const texts = await Promise.all(files.map(({ name }) => readFile(join(dir, name), 'utf8').catch(() => null)));
  const bootstrap = texts[0] ?? null;
  const expiry = bootstrap === null ? null : findIgnitionExpiry(bootstrap);
  return {
    expiresAt: expiry?.earliest ?? null,
    now: clock.now(),
    files: await Promise.all(
      files.map(async (file, index) => {
        const text = texts[index] ?? null;
        const served: ServedFile =
          text === null ? { served: 'unseen', servedBy: '' } : await probeServedFile(context, file, text);
        return {
          name: file.name,
          isThere: text !== null,
          problem: text === null ? null : findProblem(file, text, bootstrap),
          ...served,
        };
      }),
    ),
  };
}

function findProblem({ name, pointsTo }: IgnitionFile, text: string, bootstrap: string | null): string | null {
  if (pointsTo === null) return findIgnitionExpiry(text) === null ? words().noIgnition : null;
  const role = name.replace(/\.ign$/, '');
  const [problem] = listPointerProblems(text, { role, expectedUrl: pointsTo, bootstrapIgnition: bootstrap });
  return problem === undefined ? null : `${problem.title}: ${problem.cause}`;
}

/**
 * Our boot server names its files. Another server is requested; if it refuses (as it should), its copy may be on this
 * machine.
 */
async function probeServedFile(
  context: Pick<StepContext, 'dir' | 'resolveEndpoint' | 'clock'>,
  file: IgnitionFile,
  text: string,
): Promise<ServedFile> {
  const bootServerFile = await findBootServerFile(context.dir, file.name);
  if (bootServerFile !== null) {
    const isSame = bootServerFile === join(context.dir, file.name);
    return { served: isSame ? 'same' : 'other', servedBy: words().servedFrom(bootServerFile) };
  }
  const { text: fetched } = await probeText(context.resolveEndpoint, context.clock, file.url, TIMEOUT, MAX_BYTES);
  if (fetched !== null) return compareDigests(fetched, text, file.url);
  const copyPath = join(WEB_ROOT, ignitionPath('bootstrap'), '..', file.name);
  const isHere = context.resolveEndpoint(new URL(file.url).hostname, 80).host === new URL(file.url).hostname;
  const copy = isHere ? await readFile(copyPath, 'utf8').catch(() => null) : null;
  return copy === null ? { served: 'unseen', servedBy: '' } : compareDigests(copy, text, copyPath);
}

function compareDigests(found: string, text: string, source: string): ServedFile {
  const isSame = digest(found) === digest(text);
  return {
    served: isSame ? 'same' : 'other',
    servedBy: words().servedAs(source, digest(found).slice(0, 12), digest(text).slice(0, 12)),
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const bootConfigSchema = z.object({ ignition: z.record(z.string(), z.object({ file: z.string() })) });

/** Finds the file that our running boot server serves under this name; null if it does not run or does not serve it. */
async function findBootServerFile(dir: string, name: string): Promise<string | null> {
  const { jobs, bootConfig } = workspace(dir);
  const job = await findJob(jobs, BOOT_SERVER_JOB).catch(() => null);
  if (job?.state !== 'running') return null;
  try {
    const { ignition } = bootConfigSchema.parse(JSON.parse(await readFile(bootConfig, 'utf8')));
    return ignition[name.replace(/\.ign$/, '')]?.file ?? null;
  } catch {
    return null;
  }
}
