import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { besiegeOnSmallDisk, siegeLine } from '../../support/boot-siege.ts';
import { newTally, type Row } from '../row.ts';

/** How long a node may wait for what it boots, with everything around it (ms). */
const SOON = 5000;

/** The boot server as a job, with a crowd around it and a disk that is full. */
export const bootCrowd: Row = {
  what: 'the boot server with 200 stalled downloads, 1,500 half-open clients and a full disk at once; then killed 5 times with -9 while all nodes download',
  target: 'every one of 20 nodes served within 5 s; every one has everything after the kills',
  least: 20,
  needs: ['unshare', 'mount'],
  async run(torture) {
    const tally = newTally(torture.say);
    const filesDir = join(torture.dir, 'files');
    mkdirSync(filesDir);
    const figures = await besiegeOnSmallDisk({
      stateDir: join(torture.dir, 'state'),
      filesDir,
      stalled: torture.isShort ? 20 : 200,
      halfOpen: torture.isShort ? 100 : 1500,
      isDiskFull: true,
      kills: torture.isShort ? 0 : 5,
      nodes: torture.isShort ? 4 : 20,
    });
    const { nodes, served, slowestMs, servedThroughKills, disk } = figures;
    if (served < nodes) tally.fail('the crowd', `${nodes - served} of ${nodes} nodes were not served`);
    if (slowestMs > SOON) tally.fail('the slowest node', `waited ${slowestMs} ms`);
    if (servedThroughKills < nodes)
      tally.fail('the kills', `${nodes - servedThroughKills} of ${nodes} nodes lack something`);
    if (disk === '') tally.fail('the disk', 'was not full');
    return { cases: nodes, failures: tally.failures, figure: siegeLine(figures) };
  },
};
