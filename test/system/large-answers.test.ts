import { describe, expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { testInLab } from '../support/lab.ts';
import { createControlPlanePorts, createRunAuthorities, openTlsSite, type SiteCheckLine } from '../support/tls-site.ts';

const listFailures = (checks: readonly SiteCheckLine[]) =>
  checks.filter(({ result }) => result === 'failed').map(({ id, subject }) => `${id} ${subject}`);

describe('answers that do not come through', () => {
  testInLab('haproxy')(
    'a port of the switch with a smaller MTU is named first, with the size that passes',
    async () => {
      const run = await createRunAuthorities();
      const site = await openTlsSite(run);
      await site.setBalancer();
      const only = ['--only', 'packet-size'];
      // Machines that are not powered on answer nothing.
      await site.lab.run('m3', 'ip link set lan0 down');
      const before = await site.check(...only);
      expect(listFailures(before)).toEqual([]);
      expect(before.find(({ subject }) => subject?.startsWith('lb1 '))?.result).toBe('ok');
      expect(before.find(({ subject }) => subject?.startsWith('m3 '))?.result).toBe('unknown');

      // Between namespaces, segments that the kernel has not divided yet pass any MTU.
      await site.lab.run('lb1', 'ip link set lan0 gso_max_segs 1');
      await site.lab.run(null, 'ip link set lb1 mtu 1400');
      const found = await site.check(...only);
      expect(listFailures(found)).toEqual(['packet-size lb1 172.16.0.112']);
      const [failure] = found.filter(({ result }) => result === 'failed');
      expect(failure?.severity).toBe('fatal');
      expect(failure?.evidence).toBe(
        'packets of 1500 bytes are lost on the way, and packets of 1400 bytes arrive; connections open, and large answers hang',
      );

      // The remedy, in its words.
      await site.lab.run(null, 'ip link set lb1 mtu 1500');
      expect(listFailures(await site.check(...only))).toEqual([]);
      // A limit of this machine, which the kernel knows.
      await site.lab.run('bastion', 'ip link set lan0 mtu 1400');
      expect(listFailures(await site.check(...only))).toEqual([]);
      // Many refusals in a row are limited by the host, which is no loss.
      await site.lab.run('bastion', 'ip link set lan0 mtu 1500');
      for (let round = 0; round < 3; round += 1) expect(listFailures(await site.check(...only))).toEqual([]);
    },
  );

  testInLab('haproxy')(
    'a control plane node that is silent while the others serve is named with the words of the pool',
    async () => {
      const run = await createRunAuthorities();
      const site = await openTlsSite(run);
      const only = ['--only', 'lb-member-silent,lb-listens,lb-members,api-certificate'];
      await site.setBalancer();
      const ports = await createControlPlanePorts(site.design, run);
      const expectResults = async (expected: Readonly<Record<string, string>>) => {
        let found: readonly SiteCheckLine[] = [];
        await eventually(async () => {
          found = await site.check(...only);
          const own = found.filter(({ id }) => id === 'lb-member-silent');
          expect(Object.fromEntries(own.map(({ subject, result }) => [subject, result]))).toEqual(expected);
        });
        return found;
      };
      await expectResults({ m1: 'pending', m2: 'pending', m3: 'pending' });
      await site.setNode('bs', ports);
      await site.setNode('m1', ports);
      expect(listFailures(await expectResults({ m1: 'ok', m2: 'pending', m3: 'pending' }))).toEqual([]);
      await site.setNode('m3', ports);
      const refused = await expectResults({ m1: 'ok', m2: 'failed', m3: 'ok' });
      expect(listFailures(refused)).toEqual(['lb-member-silent m2']);
      const [failure] = refused.filter(({ result }) => result === 'failed');
      expect(failure?.evidence).toMatch(/^lb1: api\/m2 DOWN L4CON\b.*, for 0 minutes; m1, m3 UP$/);
      expect(failure?.remedy).toMatch(/nothing listens on port 6443\..*ssh core@172\.16\.0\.22 sudo crictl ps -a/);
      await site.lab.run('m2', 'ip link set lan0 down');
      await eventually(async () => {
        const [off] = (await site.check(...only)).filter(({ result }) => result === 'failed');
        expect(off?.remedy).toMatch(/^Look at the machine: power it on/);
      });
      await site.lab.run('m2', 'ip link set lan0 up');
      await site.setNode('m2', ports);
      expect(listFailures(await expectResults({ m1: 'ok', m2: 'ok', m3: 'ok' }))).toEqual([]);
      // The bastion reaches the node, and the load balancer does not.
      await site.lab.run('m2', 'ip route add blackhole 172.16.0.112');
      const blocked = await expectResults({ m1: 'ok', m2: 'failed', m3: 'ok' });
      expect(blocked.find(({ result }) => result === 'failed')?.remedy).toMatch(
        /^It answers this machine, but lb1 gets no answer/,
      );
    },
  );
});
