import { FILE_GENERATORS } from '../../artifacts/file-kinds.ts';
import { getReloadedService, type ReloadedService } from '../../artifacts/hosts/install-script.ts';
import { removeDuplicates } from '../../artifacts/network/addresses.ts';
import { NO_CREDENTIALS } from '../../design/credentials.ts';
import { listServiceHosts } from '../../design/derived-facts.ts';
import type { ServiceHost } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { isUnmeasurable, type ServiceProcess } from '../../probes/probe-types.ts';
import { listListeners } from './load-balancer.ts';
import {
  createSiteCheckFactory,
  isLocalHost,
  querySite,
  type SiteCheckContext,
  type SiteResult,
  type Verdict,
} from './site.ts';

const words = () => catalogue().diagnosis.site.details.services;
const check = createSiteCheckFactory('hosts');

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
      // Without an answer of systemd, the service may run undetected.
      if (unitState === '' || unitState === 'unknown') return { state: 'unknown', detail: words().noProcess };
      return {
        state: 'failed',
        detail: [words().stopped(unit, unitState), ...pickLogLines(log)].join('; '),
        remedy: words().startRemedy(unit),
      };
    }),
  ),
  /** Each service has read its files after they were last changed. */
  check('host-service-current', 'warning', (site) =>
    queryServices(site, (service, serviceProcess) => evaluateServiceFiles(service, serviceProcess, false)).map(
      async (result) => {
        const firstResult = await result;
        if (
          firstResult.state !== 'unknown' ||
          !firstResult.subject.endsWith(' keepalived') ||
          !(await hasUnansweredAddress(site))
        )
          return firstResult;
        const [secondResult] = queryServices(
          site,
          (service, serviceProcess) => evaluateServiceFiles(service, serviceProcess, true),
          (subject) => subject === firstResult.subject,
        );
        return (await secondResult) ?? firstResult;
      },
    ),
  ),
];

/**
 * Evaluates whether a service reads the planned file and has read it since its last change.
 * @param countsStartAsRead whether the start of the process counts as the time of its last read: the service does not
 *   work, and no later reload was observed
 */
function evaluateServiceFiles(
  { process, paths, unit, rereadCommand }: PlannedService,
  { isRunning, files, configFiles = [] }: ServiceProcess,
  countsStartAsRead: boolean,
): Verdict {
  if (!isRunning) return { state: 'unknown', detail: words().noProcess };
  const [plannedPath = ''] = paths;
  const isPlanned = configFiles.some(
    (file) => paths.includes(file) || plannedPath.startsWith(`${file.replace(/\/$/, '')}/`),
  );
  // The generated files of named and nginx may be included by another one.
  if (configFiles.length > 0 && !isPlanned && SERVICES_WITH_ONE_FILE.includes(process))
    return {
      state: 'failed',
      title: words().otherFileTitle(configFiles.join(', ')),
      detail: words().otherFile(process, configFiles.join(', '), plannedPath),
      remedy: words().restartRemedy(process, unit),
    };
  const fileTimes = files.map(({ path, changedAt, readAt, startedAt }) => ({
    ...{ path, changedAt },
    readAt: readAt ?? (countsStartAsRead ? (startedAt ?? null) : null),
  }));
  const outdatedTexts = fileTimes.flatMap(({ path, changedAt, readAt }) =>
    readAt !== null && changedAt > readAt + CLOCK_TOLERANCE_S
      ? [words().outdated(process, path, toDate(changedAt), toDate(readAt))]
      : [],
  );
  if (outdatedTexts.length > 0)
    return { state: 'failed', detail: outdatedTexts.join('; '), remedy: words().reloadRemedy(rereadCommand.join(' ')) };
  return fileTimes.some(({ readAt }) => readAt === null)
    ? { state: 'unknown', detail: words().noReadTime }
    : { state: 'ok', detail: words().current };
}

/** Whether an address that keepalived holds does not answer at a port of the load balancer. */
async function hasUnansweredAddress(site: SiteCheckContext): Promise<boolean> {
  const hostAddresses = new Set(site.design.services.loadBalancer.servers.flatMap(({ ip }) => ip));
  const answers = await Promise.all(
    listListeners(site.design)
      .filter(({ host }) => !hostAddresses.has(host))
      .map((listener) => site.probes.tcp(listener)),
  );
  return answers.some((answer) => !isUnmeasurable(answer) && /^(?:timeout|unreachable)$/.test(answer.state));
}

const toDate = (seconds: number) => new Date(seconds * 1000);

/** Picks the last lines of a journal that report an error; without such lines, the last ones. */
function pickLogLines(log: readonly string[]): readonly string[] {
  const errorLines = log.filter((line) =>
    /error|fail|fatal|cannot|unable|no such|invalid|unknown|denied|in use/i.test(line),
  );
  return (errorLines.length > 0 ? errorLines : log).slice(-2);
}

/** A service with the paths of its generated files on a host. */
interface PlannedService extends ReloadedService {
  readonly paths: readonly string[];
}

/**
 * The generated nginx.conf is for a user who has nginx instead of the wizard's boot server: install.sh does not start
 * it.
 */
const NGINX_RELOAD = ['systemctl', 'reload-or-restart', 'nginx'];
/** The path to which the user copies the generated nginx.conf, as the notes in it say. */
const NGINX_PATH = '/etc/nginx/nginx.conf';

/** Lists the services of a host, from the commands that reload its generated files. */
function listPlannedServices({ design, stage, images }: SiteCheckContext, host: ServiceHost): PlannedService[] {
  const input = { design, stage, credentials: NO_CREDENTIALS, images, previous: null };
  const files = FILE_GENERATORS.flatMap((generator) =>
    generator.files(input).map((file) => ({ ...file, kind: generator.kind })),
  );
  const hostFiles = files.filter((file) => file.host?.name === host.name);
  const reloadedServices = hostFiles.flatMap(({ path, kind, reload }) => {
    const service = getReloadedService({ command: reload ?? (kind === 'nginx' ? NGINX_RELOAD : []) });
    return service === null ? [] : { ...service, path: kind === 'nginx' ? NGINX_PATH : path };
  });
  return [...Map.groupBy(reloadedServices, ({ unit }) => unit).values()].flatMap((serviceFiles) => {
    const [firstFile] = serviceFiles;
    return firstFile === undefined
      ? []
      : { ...firstFile, paths: removeDuplicates(serviceFiles.map(({ path }) => path)) };
  });
}

/** Queries the services of all hosts. A host on which no file of a service is in place has yet to be set up. */
function queryServices(
  site: SiteCheckContext,
  evaluate: (service: PlannedService, serviceProcess: ServiceProcess) => Verdict,
  shouldQuery: (subject: string) => boolean = () => true,
): Promise<SiteResult>[] {
  return listServiceHosts(site.design).flatMap((host) => {
    const [services, isSelf, [address]] = [listPlannedServices(site, host), isLocalHost(site, host), host.ip];
    const query = {
      name: host.name,
      address,
      isSelf,
      services: services.map(({ unit, process, paths }) => ({ unit, process, paths })),
    };
    return services.flatMap((service, index) => {
      const statusCommand = `systemctl status ${service.unit}`;
      const querySubject = {
        subject: `${host.name} ${service.process}`,
        command: isSelf ? statusCommand : `ssh -t ${address} ${statusCommand}`,
      };
      if (!shouldQuery(querySubject.subject)) return [];
      return querySite(site, 'services', query, querySubject, (answer) => {
        if (answer.state === 'unknown') return { state: 'unknown', detail: answer.detail };
        const serviceProcess = answer.services[index];
        return serviceProcess === undefined || serviceProcess.files.length === 0
          ? { state: 'unknown', detail: words().notInPlace }
          : evaluate(service, serviceProcess);
      });
    });
  });
}
