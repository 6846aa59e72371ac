import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseBootProbeOutput } from '../../src/checks/boot/boot-activity.ts';
import { renderProbeScript } from '../../src/steps/shared/machines/service-probe.ts';
import { exampleDocument } from '../support/example-document.ts';
import { openLab, testInLab } from '../support/lab.ts';
import { wizardExecutable } from '../support/rehearsal-run.ts';

testInLab('ip')(
  'the neighbour table of a bastion shows which MAC address answers at the address of a node',
  async () => {
    const lab = await openLab();
    await lab.addMachine('bastion', ['172.16.0.101/24']);
    await lab.addMachine('m1', ['172.16.0.21/24']);
    await lab.addMachine('stranger', ['172.16.0.22/24']);
    await lab.run('m1', 'ip link set lan0 address 00:50:56:96:37:c8');
    const foreignMac = '00:0c:29:5a:b7:10';
    await lab.run('stranger', `ip link set lan0 address ${foreignMac}`);
    const probeScript = renderProbeScript('', ['172.16.0.21', '172.16.0.22', '172.16.0.23']);
    const script = join(lab.dir, 'look.sh');
    writeFileSync(script, probeScript);
    const { neighbours } = parseBootProbeOutput((await lab.run('bastion', `sh ${script}`)).all);
    expect(neighbours).toContainEqual({ address: '172.16.0.21', mac: '00:50:56:96:37:c8', isFresh: true });
    expect(neighbours).toContainEqual({ address: '172.16.0.22', mac: foreignMac, isFresh: true });
    expect(neighbours.some(({ address }) => address === '172.16.0.23')).toBe(false);

    // Without `ip`, the kernel's own table has the same entries, but not their age.
    writeFileSync(script, probeScript.replace('ip neigh show', 'no-such-program'));
    const { neighbours: plain } = parseBootProbeOutput((await lab.run('bastion', `sh ${script}`)).all);
    expect(plain).toContainEqual({ address: '172.16.0.22', mac: foreignMac, isFresh: false });

    writeFileSync(join(lab.dir, 'site.yaml'), JSON.stringify(exampleDocument()));
    const command = `'${process.execPath}' '${wizardExecutable}' check '${lab.dir}/site.yaml' --only ip-conflict --json`;
    const { checks } = JSON.parse((await lab.run('bastion', command)).all) as {
      checks: { subject: string; result: string }[];
    };
    const findResult = (name: string) => checks.find(({ subject }) => subject.startsWith(`${name} `))?.result;
    expect([findResult('m1'), findResult('m2'), findResult('m3')]).toEqual(['ok', 'failed', 'ok']);
  },
);
