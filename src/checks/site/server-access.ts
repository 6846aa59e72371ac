import { listImageFiles } from '../../artifacts/boot/images.ts';
import {
  BOOT_SCRIPT_PATH,
  imagePath,
  listIgnitionFiles,
  nodeScriptPath,
  WEB_ROOT,
} from '../../artifacts/shared/generator.ts';
import { listServiceHosts } from '../../design/derived-facts.ts';
import type { DesignNode, ServiceHost } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { type HostFile, isUnmeasurable, type PrivilegedHostState } from '../../probes/probe-types.ts';
import {
  findWrongDhcpInterfaces,
  listNodesRefusedByBind,
  listNodesRefusedByHaproxy,
  listNodesRefusedByNginx,
  type RefusedNodes,
} from './access-lists.ts';
import { parseStatements } from './server-config.ts';
import type { SiteCheckPhase } from './site.ts';
import {
  createSiteCheckFactory,
  isLocalHost,
  type SiteCheckContext,
  type SiteResult,
  toSiteResult,
  type Verdict,
} from './site.ts';

const words = () => catalogue().diagnosis.site.details.serverAccess;

/** Evaluates a server on a host. Returns the failed verdicts with their subjects; none if the server does not run. */
type HostEvaluator = (
  site: SiteCheckContext,
  host: ServiceHost,
  networkState: PrivilegedHostState,
) => readonly (Verdict & { readonly subject: string })[];

/**
 * Creates a check of what a server would answer to nodes, by its own configuration and with the rights of its own user.
 * A host without that server has one result, which is ok: other checks say when a server does not run.
 * @param hasServer whether the design has this server on the host
 */
function createServerCheck<Id extends string>(
  id: Id,
  phase: SiteCheckPhase,
  hasServer: (site: SiteCheckContext, host: ServiceHost) => boolean,
  command: string,
  evaluate: HostEvaluator,
) {
  return createSiteCheckFactory(phase)(id, 'fatal', (site) =>
    listServiceHosts(site.design)
      .filter((host) => hasServer(site, host) && (site.onlyHost === null || site.onlyHost.name === host.name))
      .map((host) => evaluateHost(site, host, command, evaluate)),
  );
}

/** Returns the first failure, with all failures of the host in its evidence. */
async function evaluateHost(
  site: SiteCheckContext,
  host: ServiceHost,
  command: string,
  evaluate: HostEvaluator,
): Promise<SiteResult> {
  const isSelf = isLocalHost(site, host);
  const querySubject = {
    subject: host.name,
    command: isSelf ? `sudo ${command}` : `ssh -t ${host.ip[0]} sudo ${command}`,
  };
  const answer = await site.probes.host({ name: host.name, address: host.ip[0], isSelf });
  if (isUnmeasurable(answer) || answer.state !== 'known' || answer.networkState === undefined)
    return toSiteResult(querySubject, {
      state: 'unknown',
      detail: isUnmeasurable(answer) || answer.state !== 'known' ? answer.detail : words().notRead,
    });
  const failures = evaluate(site, host, answer.networkState);
  const [firstFailure] = failures;
  if (firstFailure === undefined) return toSiteResult(querySubject, { state: 'ok', detail: words().fine });
  const remedies = [...new Set(failures.flatMap(({ remedy }) => remedy ?? []))];
  const { subject, ...verdict } = firstFailure;
  return toSiteResult(
    { ...querySubject, subject: `${host.name} ${subject}` },
    { ...verdict, detail: failures.map(({ detail }) => detail).join('; '), remedy: remedies.join(' ') },
  );
}

const createRefusalVerdict = (
  subject: string,
  file: string,
  unit: string,
  host: ServiceHost,
  { nodes, statement }: RefusedNodes,
) => ({
  ...{ subject, state: 'failed' as const },
  detail: words().refused(nodes, sanitizeLine(statement, 200), file),
  remedy: words().allow(host.name, file, unit),
});

const isNameServer = ({ design: { services } }: SiteCheckContext, host: ServiceHost) =>
  services.dns.kind === 'bind' && services.dns.servers.some(({ name }) => name === host.name);

/** The access lists of the name servers include the nodes. */
export const DNS_CLIENT_CHECK = createServerCheck(
  'dns-clients',
  'dns',
  isNameServer,
  'named-checkconf -px',
  ({ design }, host, { configs, interfaces }) =>
    configs.named === null
      ? []
      : listNodesRefusedByBind(design, configs.named, interfaces).map((refusedNode) =>
          createRefusalVerdict('named.conf', 'named.conf', 'named', host, refusedNode),
        ),
);

/** The user of BIND can read the zone files: without one of them, BIND answers SERVFAIL for each name of the zone. */
export const ZONE_FILE_CHECK = createServerCheck(
  'dns-readable',
  'dns',
  isNameServer,
  'ls -l /var/named /var/lib/bind',
  (_, host, { unreadableZones }) =>
    (unreadableZones?.files ?? []).map((file) => ({
      ...{ subject: file.path.slice(file.path.lastIndexOf('/') + 1), state: 'failed' as const },
      detail: words().unreadable([file.path], unreadableZones?.user ?? '', file),
      remedy: words().makeZoneReadable(host.name, file.path, unreadableZones?.user ?? ''),
    })),
);

export const BALANCER_CLIENT_CHECK = createServerCheck(
  'lb-clients',
  'load-balancer',
  ({ design }, host) =>
    design.services.loadBalancer.kind === 'haproxy' &&
    design.services.loadBalancer.servers.some(({ name }) => name === host.name),
  "grep -nE 'acl|reject|deny' /etc/haproxy/haproxy.cfg",
  ({ design }, host, { configs }) =>
    configs.haproxy === null
      ? []
      : listNodesRefusedByHaproxy(design, configs.haproxy).map((refusedNode) =>
          createRefusalVerdict('haproxy.cfg', '/etc/haproxy/haproxy.cfg', 'haproxy', host, refusedNode),
        ),
);

export const DHCP_INTERFACE_CHECK = createServerCheck(
  'dhcp-interface',
  'dhcp',
  ({ design }, host) => design.services.dhcp.kind === 'isc-dhcpd' && design.services.dhcp.server === host.name,
  'grep INTERFACESv4 /etc/default/isc-dhcp-server; ps -C dhcpd -o args',
  ({ design }, host, { dhcpd, interfaces }) => {
    const wrongInterfaces = dhcpd === null ? null : findWrongDhcpInterfaces(design, dhcpd, interfaces);
    return wrongInterfaces === null
      ? []
      : [
          {
            subject: 'dhcpd',
            state: 'failed' as const,
            detail: words().otherInterface(wrongInterfaces.servedInterfaces, wrongInterfaces.expectedInterface),
            remedy: words().setInterface(host.name, wrongInterfaces.expectedInterface),
          },
        ];
  },
);

const isBootHost = ({ design }: SiteCheckContext, host: ServiceHost) => host.name === design.services.bastion.name;

/** The answer of nginx to the nodes that fetch an ignition file. nginx rightly refuses it to all other clients. */
export const IGNITION_CLIENT_CHECK = createServerCheck(
  'ignition-clients',
  'ignition',
  isBootHost,
  "grep -A 20 '/ignition/' /etc/nginx/nginx.conf",
  ({ design }, host, { configs: { nginx } }) => listNginxRefusals(host, nginx, listIgnitionFiles(design)),
);

/** The answer of nginx to the nodes that fetch scripts and images. */
export const BOOT_CLIENT_CHECK = createServerCheck(
  'boot-clients',
  'boot-files',
  isBootHost,
  "grep -nE 'location|allow|deny' /etc/nginx/nginx.conf",
  ({ design: { nodes }, images }, host, { configs: { nginx } }) =>
    listNginxRefusals(host, nginx, [
      { nodes, path: BOOT_SCRIPT_PATH },
      ...nodes.map((node) => ({ nodes: [node], path: nodeScriptPath(node) })),
      ...listImageFiles(images).map((name) => ({ nodes, path: imagePath(name) })),
    ]),
);

/**
 * Lists the requests of nodes that nginx refuses, as failed verdicts.
 * @param nginx configuration of nginx; null: it does not run
 * @param requests the paths that nodes request
 */
function listNginxRefusals(
  host: ServiceHost,
  nginx: string | null,
  requests: readonly { readonly nodes: readonly DesignNode[]; readonly path: string }[],
) {
  if (nginx === null) return [];
  const statements = parseStatements(nginx);
  return requests.flatMap(({ nodes, path }) => {
    const file = path.slice(path.lastIndexOf('/') + 1);
    return listNodesRefusedByNginx(nodes, statements, path).map((refusedNode) =>
      createRefusalVerdict(file, '/etc/nginx/nginx.conf', 'nginx', host, {
        ...refusedNode,
        statement: `${file}: ${refusedNode.statement}`,
      }),
    );
  });
}

/** The user of the web server can read the files that machines boot from. */
export const WEB_FILE_CHECK = createServerCheck(
  'boot-readable',
  'boot-files',
  isBootHost,
  `namei -l ${WEB_ROOT}/ignition`,
  (_, host, { web }) => {
    if (web === null) return [];
    const readablePaths = new Set(web.readable);
    const servedFiles = web.files.filter(
      ({ path, isFolder }) => !isFolder && path.startsWith(`${WEB_ROOT}/`) && !path.includes('/.'),
    );
    const unreadableFiles = servedFiles
      .filter(
        ({ path }, index) =>
          !readablePaths.has(path) && servedFiles.findIndex((servedFile) => servedFile.path === path) === index,
      )
      .map((file) => {
        const folders = web.files.filter(
          (candidate) => candidate.isFolder && file.path.startsWith(`${candidate.path}/`),
        );
        return { file, closedFolder: folders.find((folder) => (folder.mode & 1) === 0 && folder.owner !== web.user) };
      });
    // A closed directory makes all its files unreadable: it is reported once.
    return [...Map.groupBy(unreadableFiles, ({ file, closedFolder }) => (closedFolder ?? file).path).values()].flatMap(
      (filesOfCause) =>
        filesOfCause.slice(0, 1).map(({ file, closedFolder }) => {
          const blockingEntry: Pick<HostFile, 'path' | 'mode' | 'owner'> = closedFolder ?? file;
          const paths = filesOfCause.map((webFile) => webFile.file.path);
          return {
            ...{ subject: file.path.slice(file.path.lastIndexOf('/') + 1), state: 'failed' as const },
            detail: words().unreadable(paths, web.user, blockingEntry),
            remedy: words().makeReadable(host.name, blockingEntry.path, closedFolder !== undefined),
          };
        }),
    );
  },
);

/** in.tftpd serves only world-readable files (tftpd(8), --permissive). */
export const TFTP_FILE_CHECK = createServerCheck(
  'tftp-readable',
  'boot-files',
  isBootHost,
  'ls -l /srv/tftp /var/lib/tftpboot',
  (_, host, { tftp }) =>
    tftp
      .filter(({ isFolder, mode, path }) => (isFolder ? (mode & 1) === 0 : (mode & 4) === 0) && !path.includes('/.'))
      .map((file) => ({
        ...{ subject: file.path.slice(file.path.lastIndexOf('/') + 1), state: 'failed' as const },
        detail: words().unreadable([file.path], 'in.tftpd', file),
        remedy: words().makeReadable(host.name, file.path, file.isFolder),
      })),
);
