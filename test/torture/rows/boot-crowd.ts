import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatStressResult, runStressOnSmallDisk } from '../../support/boot-stress.ts';
import { createTally, type Row } from '../row.ts';

/** Longest wait of a node for its boot files under this load (ms). */
const MAX_WAIT_MS = 5000;

/** The boot server as a job, under a load of many clients and with a full disk. */
export const bootCrowd: Row = {
  description:
    'Load the boot server with 200 stalled downloads, 1,500 half-open clients and a full disk at once. Then kill it 5 times with SIGKILL while all nodes download.',
  target: 'each of 20 nodes is served within 5 s; each has all its files after the kills',
  minCases: 20,
  needs: ['unshare', 'mount'],
  async run(torture) {
    const tally = createTally(torture.report);
    const filesDir = join(torture.dir, 'files');
    mkdirSync(filesDir);
    const figures = await runStressOnSmallDisk({
      stateDir: join(torture.dir, 'state'),
      filesDir,
      stalled: torture.isShort ? 20 : 200,
      halfOpen: torture.isShort ? 100 : 1500,
      isDiskFull: true,
      kills: torture.isShort ? 0 : 5,
      nodes: torture.isShort ? 4 : 20,
    });
    const { nodes, served, slowestMs, servedThroughKills, disk } = figures;
    if (served < nodes) tally.fail('the load', `${nodes - served} of ${nodes} nodes were not served`);
    if (slowestMs > MAX_WAIT_MS) tally.fail('the slowest node', `waited ${slowestMs} ms`);
    if (servedThroughKills < nodes)
      tally.fail('the kills', `${nodes - servedThroughKills} of ${nodes} nodes lack something`);
    if (disk === '') tally.fail('the disk', 'was not full');
    return { cases: nodes, failures: tally.failures, figure: formatStressResult(figures) };
  },
};
