import { getReloadedService, type ReloadedService } from '../../artifacts/hosts/install-script.ts';
import { GENERATORS } from '../../artifacts/kinds.ts';
import { unique } from '../../artifacts/network/addresses.ts';
import { serviceHosts } from '../../design/derived-facts.ts';
import type { ServiceHost } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { ServiceProcess } from '../../probes/probe-types.ts';
import { ask, isLocalHost, type Site, type SiteResult, siteChecksIn, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details.services;
const check = siteChecksIn('hosts');
const CREDENTIALS = { pullSecret: null, sshKey: null, trustBundle: null };

/** Seconds by which a file has to be newer than the process that reads it: the kernel counts ticks of 10 ms. */
const MIN_AGE = 0.02;

/** Checks of the programs on the service hosts. A service that runs with an older file looks right in every file. */
export const SERVICE_PROCESS_CHECKS = [
  /** Each service whose files are in place runs. */
  check('host-service-runs', 'fatal', (site) =>
    queryServices(site, ({ unit }, { isRunning, unitState, log }) => {
      if (isRunning || unitState === 'active') return { state: 'ok', detail: words().runs };
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
  check('host-service-current', 'warning', (site) =>
    queryServices(site, ({ process, rereadCommand }, { isRunning, files }) => {
      if (!isRunning) return { state: 'unknown', detail: words().notSeen };
      const outdated = files.filter(({ changedAt, readAt }) => readAt !== null && changedAt > readAt + MIN_AGE);
      const [first] = outdated;
      if (first === undefined)
        return files.some(({ readAt }) => readAt === null)
          ? { state: 'unknown', detail: words().noReadTime }
          : { state: 'ok', detail: words().current };
      return {
        state: 'failed',
        detail: outdated
          .map(({ path, changedAt, readAt }) => words().outdated(process, path, toDate(changedAt), toDate(readAt ?? 0)))
          .join('; '),
        remedy: words().reloadRemedy(rereadCommand.join(' ')),
      };
    }),
  ),
];

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

/** Lists the services of a host, from the commands that reload its generated files. */
function listServices({ design, stage, images }: Site, host: ServiceHost): PlannedService[] {
  const input = { design, stage, credentials: CREDENTIALS, images, previous: null };
  const files = GENERATORS.flatMap((generator) => generator.files(input)).filter(
    (file) => file.host?.name === host.name,
  );
  const reloaded = files.flatMap(({ path, reload }) => {
    const service = reload === undefined ? null : getReloadedService({ command: reload });
    return service === null ? [] : { ...service, path };
  });
  return [...Map.groupBy(reloaded, ({ unit }) => unit).values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : { ...first, paths: unique(own.map(({ path }) => path)) };
  });
}

/** Queries the services of all hosts. A host on which no file of a service is in place has yet to be set up. */
function queryServices(
  site: Site,
  evaluate: (planned: PlannedService, found: ServiceProcess) => Verdict,
): Promise<SiteResult>[] {
  return serviceHosts(site.design).flatMap((host) => {
    const [services, isSelf, [address]] = [listServices(site, host), isLocalHost(site, host), host.ip];
    const question = {
      name: host.name,
      address,
      isSelf,
      services: services.map(({ unit, process, paths }) => ({ unit, process, paths })),
    };
    return services.map((planned, index) => {
      const look = `systemctl status ${planned.unit}`;
      const about = {
        subject: `${host.name} ${planned.process}`,
        command: isSelf ? look : `ssh -t ${address} ${look}`,
      };
      return ask(site, 'services', question, about, (answer) => {
        if (answer.state === 'unseen') return { state: 'unknown', detail: answer.detail };
        const found = answer.services[index];
        return found === undefined || found.files.length === 0
          ? { state: 'unknown', detail: words().notInPlace }
          : evaluate(planned, found);
      });
    });
  });
}
