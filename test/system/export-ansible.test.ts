import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { testOnDebian } from '../support/debian-host.ts';
import { createServiceMachine } from '../support/service-machine.ts';

/** A word that YAML 1.1, which Ansible reads, parses as true. */
const NAME = 'on';

testOnDebian(
  'sshd',
  'ssh',
  'ansible-playbook',
)(
  'Ansible sets up a machine as install.sh does: a second run changes nothing, and a refused file is restored',
  async () => {
    const { lab, runWizard, expectShell, units } = await createServiceMachine({ serverName: NAME });
    const project = join(lab.dir, 'project');
    // Without the credentials the bastion's installer files are left out.
    const exported = await runWizard('export', 'ansible', '"$LAB/project"', '--dir', '"$LAB/site"');
    expect(exported.exitCode, exported.all).toBe(4);
    const runPlaybook = (...argv: readonly string[]) =>
      lab.run(
        'admin',
        `env PATH="$LAB/bin:$PATH" HOME="$LAB/home" ANSIBLE_PIPELINING=1 ANSIBLE_SSH_TRANSFER_METHOD=piped ANSIBLE_NOCOLOR=1 ansible-playbook \
           -i "$LAB/project/inventory.yml" "$LAB/project/site.yml" --limit ${NAME} -e ansible_user=root -e ansible_become=false ${argv.join(' ')}`,
      );
    const recap = ({ all }: { readonly all: string }) =>
      new RegExp(`^${NAME} +: ok=\\d+ +changed=(\\d+) .*failed=(\\d+)`, 'm').exec(all)?.slice(1);
    const files =
      'find /etc/bind /etc/haproxy /etc/dhcp /var/lib/bind -type f -printf "%p %m %u:%g\\n" -exec md5sum {} + | sort';
    const before = await expectShell(files);

    // A zone that named refuses is restored before any program reads it, and nothing was started.
    const zone = join(project, 'files', NAME, 'var/lib/bind/example.localdomain.zone');
    const good = readFileSync(zone, 'utf8');
    writeFileSync(zone, `${good}api.ocp45 IN A 172.16.0.999\n`);
    const refused = await runPlaybook();
    expect(recap(refused), refused.all).toEqual([expect.any(String), '1']);
    expect(refused.all).toMatch(/example\.localdomain\.zone:\d+: .*bad dotted quad/);
    expect(await expectShell(files), refused.all).toBe(before);
    expect(await expectShell('ls /run/units /run/reloaded 2>/dev/null || true'), refused.all).toBe('');
    writeFileSync(zone, good);

    // A program that runs with another file reloads the new one. A program that does not run starts with it.
    await expectShell('systemctl start named');
    const first = await runPlaybook();
    expect(first.exitCode, first.all).toBe(0);
    expect(Number(recap(first)?.[0])).toBeGreaterThan(3);
    expect(await expectShell('cat /run/reloaded')).toBe('named');
    expect(await units()).toMatch(/named runs\n.*named enabled/s);
    const dnsAnswer = await lab.run('admin', 'dig +short @172.16.0.101 api.ocp45.example.localdomain');
    expect(dnsAnswer.all).toBe('172.16.0.111');
    const second = await runPlaybook();
    expect(recap(second), second.all).toEqual(['0', '0']);

    // The next export does not overwrite a user's change of the project.
    writeFileSync(join(project, 'site.yml'), '# mine\n');
    const secondExport = await runWizard('export', 'ansible', '"$LAB/project"', '--dir', '"$LAB/site"');
    expect(secondExport.exitCode, secondExport.all).toBe(5);
    expect(readFileSync(join(project, 'site.yml'), 'utf8')).toBe('# mine\n');
  },
);
