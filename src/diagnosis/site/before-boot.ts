import { catalogue } from '../../text/catalogue.ts';
import { ask, type SiteCheck } from './question.ts';

const words = () => catalogue().diagnosis.site.said;

/** Nodes compare certificates with their clock; etcd and kubelets bear a second. */
const MOST_OFFSET = 1000;

/** Nobody else has a node's address. A machine that is on answers with its own MAC address. */
export const addressConflict: SiteCheck<'ip-conflict'> = {
  code: 'ip-conflict',
  phase: 'before-boot',
  severity: 'fatal',
  asks: ({ nodes }) =>
    nodes.map(({ name, address, mac }) => {
      const command = `ping -c 1 -W 1 ${address}; ip neigh show ${address}`;
      return ask('neighbour', { address }, { subject: `${name} ${address}`, command }, (answer) => {
        if (answer.mac === null)
          return answer.isLocal
            ? { state: 'ok', detail: words().free }
            : { state: 'unknown', detail: words().notLocal };
        const isOwn = answer.mac.toLowerCase() === mac.toLowerCase();
        return { state: isOwn ? 'ok' : 'failed', detail: isOwn ? words().itself(mac) : words().other(answer.mac, mac) };
      });
    }),
};

/** Each time server answers, and its time is ours. */
export const timeServers: SiteCheck<'ntp-servers'> = {
  code: 'ntp-servers',
  phase: 'before-boot',
  severity: 'warning',
  asks: ({ timeServers: all }) =>
    all.map((server) =>
      ask(
        'time',
        { server },
        { subject: server, command: `chronyd -Q 'server ${server} iburst'` },
        ({ offsetMs, detail }) => {
          if (offsetMs === null) return { state: 'failed', detail };
          const isNear = Math.abs(offsetMs) <= MOST_OFFSET;
          return { state: isNear ? 'ok' : 'failed', detail: words().offset(offsetMs) };
        },
      ),
    ),
};

/** The service hosts are there for SSH: their files are copied so, and their logs are read so. */
export const sshHosts: SiteCheck<'ssh-hosts'> = {
  code: 'ssh-hosts',
  phase: 'before-boot',
  severity: 'note',
  asks: ({ hosts }) =>
    hosts.map(({ name, address }) =>
      ask(
        'tcp',
        { host: address, port: 22 },
        { subject: name, command: `ssh ${address} true` },
        ({ state, detail }) => ({ state: state === 'open' ? 'ok' : 'failed', detail }),
      ),
    ),
};
