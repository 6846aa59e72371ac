import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseProbeOutput } from '../../src/diagnosis/boot/boot-activity.ts';
import { renderProbeScript } from '../../src/steps/shared/machines/service-probe.ts';
import { exampleDocument } from '../support/example-document.ts';
import { openLab, testInLab } from '../support/lab.ts';
import { wizardExecutable } from '../support/rehearsal-run.ts';

testInLab('ip')(
  'the neighbour table of a bastion shows whose MAC address answers at an address of a node',
  async () => {
    const lab = await openLab();
    await lab.addMachine('bastion', ['172.16.0.101/24']);
    await lab.addMachine('m1', ['172.16.0.21/24']);
    await lab.addMachine('stranger', ['172.16.0.22/24']);
    await lab.run('m1', 'ip link set lan0 address 00:50:56:96:37:c8');
    const own = '00:0c:29:5a:b7:10';
    await lab.run('stranger', `ip link set lan0 address ${own}`);
    const look = renderProbeScript('', ['172.16.0.21', '172.16.0.22', '172.16.0.23']);
    const script = join(lab.dir, 'look.sh');
    writeFileSync(script, look);
    const { neighbours } = parseProbeOutput((await lab.run('bastion', `sh ${script}`)).all);
    expect(neighbours).toContainEqual({ address: '172.16.0.21', mac: '00:50:56:96:37:c8', isFresh: true });
    expect(neighbours).toContainEqual({ address: '172.16.0.22', mac: own, isFresh: true });
    expect(neighbours.some(({ address }) => address === '172.16.0.23')).toBe(false);

    // Without `ip` the kernel's own table says the same, and not how old it is.
    writeFileSync(script, look.replace('ip neigh show', 'no-such-program'));
    const { neighbours: plain } = parseProbeOutput((await lab.run('bastion', `sh ${script}`)).all);
    expect(plain).toContainEqual({ address: '172.16.0.22', mac: own, isFresh: false });

    writeFileSync(join(lab.dir, 'site.yaml'), JSON.stringify(exampleDocument()));
    const command = `'${process.execPath}' '${wizardExecutable}' check '${lab.dir}/site.yaml' --only ip-conflict --json`;
    const { checks } = JSON.parse((await lab.run('bastion', command)).all) as {
      checks: { subject: string; result: string }[];
    };
    const resultOf = (name: string) => checks.find(({ subject }) => subject.startsWith(`${name} `))?.result;
    expect([resultOf('m1'), resultOf('m2'), resultOf('m3')]).toEqual(['ok', 'failed', 'ok']);
  },
);
