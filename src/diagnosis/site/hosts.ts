import { catalogue } from '../../text/catalogue.ts';
import type { Answer } from './exchange.ts';
import { type Ask, ask, type SiteCheck, type Verdict } from './question.ts';
import type { Site } from './site.ts';

const words = () => catalogue().diagnosis.site.said;

/** Certificates and logs of hosts that are further apart than this do not fit together. Milliseconds. */
const MOST_OFFSET = 1000;

type Seen = Extract<Answer<'host'>, { readonly state: 'seen' }>;

/** The service hosts are there for SSH: their files are copied so, and their logs are read so. */
export const sshHosts: SiteCheck<'ssh-hosts'> = {
  code: 'ssh-hosts',
  phase: 'hosts',
  severity: 'note',
  asks: ({ hosts }) =>
    hosts
      .filter(({ isSelf }) => !isSelf)
      .map(({ name, address }) =>
        ask(
          'tcp',
          { host: address, port: 22 },
          { subject: name, command: `ssh ${address} true` },
          ({ state, detail }) => ({ state: state === 'open' ? 'ok' : 'failed', detail }),
        ),
      ),
};

/** This user's keys open each of them, before a step needs it. */
export const hostLogin: SiteCheck<'host-login'> = {
  code: 'host-login',
  phase: 'hosts',
  severity: 'warning',
  asks: ({ hosts }) =>
    hosts
      .filter(({ isSelf }) => !isSelf)
      .map((host) =>
        askHost(host, `ssh -o BatchMode=yes ${host.address} true`, (answer) => {
          if (answer.state === 'seen') return { state: 'ok', detail: words().loggedIn };
          const { state, detail } = answer;
          return state === 'refused'
            ? { state: 'failed', detail, remedy: answer.remedy }
            : { state: 'unknown', detail };
        }),
      ),
};

/** install.sh runs as root: sudo has to let this user without a password, or a person has to be there. */
export const hostRights: SiteCheck<'host-rights'> = {
  code: 'host-rights',
  phase: 'hosts',
  severity: 'warning',
  asks: ({ hosts }) =>
    hosts.map((host) =>
      askHost(
        host,
        inside(host, 'sudo -n true'),
        whenSeen(({ isRoot, hasSudo }) => {
          if (isRoot) return { state: 'ok', detail: words().root };
          const { wrong, remedy } = words().noSudo;
          return hasSudo ? { state: 'failed', detail: words().noRoot } : { state: 'failed', detail: wrong, remedy };
        }),
      ),
    ),
};

export const hostClock: SiteCheck<'host-clock'> = {
  code: 'host-clock',
  phase: 'hosts',
  severity: 'warning',
  asks: ({ hosts }) =>
    hosts
      .filter(({ isSelf }) => !isSelf)
      .map((host) =>
        askHost(
          host,
          inside(host, 'date -u; chronyc tracking'),
          whenSeen(({ offsetMs }) =>
            offsetMs === null
              ? { state: 'unknown', detail: words().noClock }
              : { state: Math.abs(offsetMs) <= MOST_OFFSET ? 'ok' : 'failed', detail: words().offset(offsetMs) },
          ),
        ),
      ),
};

/** The ports of what each host serves are open, judged there by the generated firewall.sh, which changes nothing then. */
export const hostFirewall = byScript('host-firewall', 'firewall');
/** The same for what SELinux has to allow, by selinux.sh; Debian has none. */
export const hostSelinux = byScript('host-selinux', 'selinux');

function byScript<Code extends string>(code: Code, part: 'firewall' | 'selinux'): SiteCheck<Code> {
  return {
    code,
    phase: 'hosts',
    severity: 'warning',
    asks: ({ hosts }) =>
      hosts
        .filter(({ scripts }) => scripts.includes(part))
        .map((host) =>
          askHost(
            host,
            inside(host, `sudo /root/upi-wizard/${part}.sh --dry-run`),
            whenSeen((seen) => {
              const missing = seen[part];
              if (missing === null) return { state: 'unknown', detail: words().noRoot };
              if (missing === 'broken') return { state: 'unknown', detail: words().broken };
              if (missing === 'absent') return { state: 'unknown', detail: words().notInPlace };
              return missing.length === 0
                ? { state: 'ok', detail: words().nothingMissing }
                : { state: 'failed', detail: missing.join('; ') };
            }),
          ),
        ),
  };
}

function whenSeen(judge: (seen: Seen) => Verdict): (answer: Answer<'host'>) => Verdict {
  return (answer) => (answer.state === 'seen' ? judge(answer) : { state: 'unknown', detail: answer.detail });
}

function inside({ address, isSelf }: Site['hosts'][number], command: string): string {
  return isSelf ? command : `ssh -t ${address} '${command}'`;
}

function askHost(
  { name, address, isSelf }: Site['hosts'][number],
  command: string,
  judge: (answer: Answer<'host'>) => Verdict,
): Ask {
  return ask('host', { name, address, isSelf }, { subject: name, command }, judge);
}
