import { getReloadedService, type ReloadedService } from '../../artifacts/hosts/install-script.ts';
import { GENERATORS } from '../../artifacts/kinds.ts';
import { unique } from '../../artifacts/network/addresses.ts';
import { serviceHosts } from '../../design/derived-facts.ts';
import type { ServiceHost } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { isUnmeasurable, type ServiceProcess } from '../../probes/probe-types.ts';
import { listListeners } from './load-balancer.ts';
import { isLocalHost, querySite, type SiteCheckContext, type SiteResult, siteChecksIn, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details.services;
const check = siteChecksIn('hosts');
const CREDENTIALS = { pullSecret: null, sshKey: null, trustBundle: null };

const SERVICES_WITH_ONE_FILE: readonly string[] = ['haproxy', 'keepalived', 'dhcpd', 'kea-dhcp4'];

/** Seconds by which a file has to be newer than the process that reads it: the kernel counts ticks of 10 ms. */
const CLOCK_TOLERANCE_S = 0.02;

/** Checks of the programs on the service hosts. A service that runs with an older file looks right in every file. */
export const SERVICE_PROCESS_CHECKS = [
  /** Each service whose files are in place runs. */
  check('host-service-runs', 'fatal', (site) =>
    queryServices(site, ({ unit, process }, { isRunning, unitState, log }) => {
      if (isRunning || unitState === 'active') return { state: 'ok', detail: words().runs };
      if (process === 'nginx') return { state: 'ok', detail: words().mayBeOff };
      // Without an answer of systemd it may run in a way that does not show here.
      if (unitState === '' || unitState === 'unknown') return { state: 'unknown', detail: words().notSeen };
      return {
        state: 'failed',
        detail: [words().stopped(unit, unitState), ...pickLogLines(log)].join('; '),
        remedy: words().startRemedy(unit),
      };
    }),
  ),
  /** Each service has read its files after they were last changed. */
  check('host-service-current', 'warning', (site) => {
    const hasSilentAddress = findSilentAddress(site);
    return queryServices(site, (planned, found) => evaluateFiles(planned, found, false)).map(async (result) => {
      const first = await result;
      if (first.state !== 'unknown' || !first.subject.endsWith(' keepalived') || !(await hasSilentAddress))
        return first;
      const [again] = queryServices(
        site,
        (planned, found) => evaluateFiles(planned, found, true),
        (subject) => subject === first.subject,
      );
      return (await again) ?? first;
    });
  }),
];

/**
 * @param countsStartAsRead the start of the process counts where a later reload would not be observed: what the service is
 *   for does not work
 */
function evaluateFiles(
  { process, paths, unit, rereadCommand }: PlannedService,
  { isRunning, files, configFiles = [] }: ServiceProcess,
  countsStartAsRead: boolean,
): Verdict {
  if (!isRunning) return { state: 'unknown', detail: words().notSeen };
  const [planned = ''] = paths;
  const isPlanned = configFiles.some(
    (file) => paths.includes(file) || planned.startsWith(`${file.replace(/\/$/, '')}/`),
  );
  // The generated files of named and nginx may be included by another one.
  if (configFiles.length > 0 && !isPlanned && SERVICES_WITH_ONE_FILE.includes(process))
    return {
      state: 'failed',
      title: words().otherFileTitle(configFiles.join(', ')),
      detail: words().otherFile(process, configFiles.join(', '), planned),
      remedy: words().restartRemedy(process, unit),
    };
  const times = files.map(({ path, changedAt, readAt, startedAt }) => ({
    ...{ path, changedAt },
    readAt: readAt ?? (countsStartAsRead ? (startedAt ?? null) : null),
  }));
  const outdated = times.flatMap(({ path, changedAt, readAt }) =>
    readAt !== null && changedAt > readAt + CLOCK_TOLERANCE_S
      ? [words().outdated(process, path, toDate(changedAt), toDate(readAt))]
      : [],
  );
  if (outdated.length > 0)
    return { state: 'failed', detail: outdated.join('; '), remedy: words().reloadRemedy(rereadCommand.join(' ')) };
  return times.some(({ readAt }) => readAt === null)
    ? { state: 'unknown', detail: words().noReadTime }
    : { state: 'ok', detail: words().current };
}

/** Whether an address that keepalived holds does not answer at a port of the load balancer. */
async function findSilentAddress(site: SiteCheckContext): Promise<boolean> {
  const own = new Set(site.design.services.loadBalancer.servers.flatMap(({ ip }) => ip));
  const answers = await Promise.all(
    listListeners(site.design)
      .filter(({ host }) => !own.has(host))
      .map((listener) => site.probes.tcp(listener)),
  );
  return answers.some((answer) => !isUnmeasurable(answer) && /^(?:timeout|unreachable)$/.test(answer.state));
}

const toDate = (seconds: number) => new Date(seconds * 1000);

/** Lines of a journal that say what is wrong; without such lines, the last one. */
function pickLogLines(log: readonly string[]): readonly string[] {
  const wrong = log.filter((line) =>
    /error|fail|fatal|cannot|unable|no such|invalid|unknown|denied|in use/i.test(line),
  );
  return (wrong.length > 0 ? wrong : log).slice(-2);
}

/** A service with the paths of its generated files on a host. */
interface PlannedService extends ReloadedService {
  readonly paths: readonly string[];
}

/** The generated nginx.conf is for a user who has nginx in place of our boot server: install.sh does not start it. */
const NGINX_RELOAD = ['systemctl', 'reload-or-restart', 'nginx'];
/** The path to which the user copies it, as the notes in the generated file say. */
const NGINX_PATH = '/etc/nginx/nginx.conf';

/** Lists the services of a host, from the commands that reload its generated files. */
function listServices({ design, stage, images }: SiteCheckContext, host: ServiceHost): PlannedService[] {
  const input = { design, stage, credentials: CREDENTIALS, images, previous: null };
  const files = GENERATORS.flatMap((generator) =>
    generator.files(input).map((file) => ({ ...file, kind: generator.kind })),
  );
  const own = files.filter((file) => file.host?.name === host.name);
  const reloaded = own.flatMap(({ path, kind, reload }) => {
    const service = getReloadedService({ command: reload ?? (kind === 'nginx' ? NGINX_RELOAD : []) });
    return service === null ? [] : { ...service, path: kind === 'nginx' ? NGINX_PATH : path };
  });
  return [...Map.groupBy(reloaded, ({ unit }) => unit).values()].flatMap((same) => {
    const [first] = same;
    return first === undefined ? [] : { ...first, paths: unique(same.map(({ path }) => path)) };
  });
}

/** Queries the services of all hosts. A host on which no file of a service is in place has yet to be set up. */
function queryServices(
  site: SiteCheckContext,
  evaluate: (planned: PlannedService, found: ServiceProcess) => Verdict,
  isQueried: (subject: string) => boolean = () => true,
): Promise<SiteResult>[] {
  return serviceHosts(site.design).flatMap((host) => {
    const [services, isSelf, [address]] = [listServices(site, host), isLocalHost(site, host), host.ip];
    const query = {
      name: host.name,
      address,
      isSelf,
      services: services.map(({ unit, process, paths }) => ({ unit, process, paths })),
    };
    return services.flatMap((planned, index) => {
      const statusCommand = `systemctl status ${planned.unit}`;
      const about = {
        subject: `${host.name} ${planned.process}`,
        command: isSelf ? statusCommand : `ssh -t ${address} ${statusCommand}`,
      };
      if (!isQueried(about.subject)) return [];
      return querySite(site, 'services', query, about, (answer) => {
        if (answer.state === 'unknown') return { state: 'unknown', detail: answer.detail };
        const found = answer.services[index];
        return found === undefined || found.files.length === 0
          ? { state: 'unknown', detail: words().notInPlace }
          : evaluate(planned, found);
      });
    });
  });
}
