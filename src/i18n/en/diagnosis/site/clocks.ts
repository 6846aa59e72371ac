/** A clock; its offset is its time minus that of this machine, in ms. */
interface ClockReading {
  readonly kind: 'this-machine' | 'time-server' | 'api' | 'host';
  readonly name: string;
  readonly offsetMs: number;
}

/** Clocks that differ from others; without proof, nothing shows which ones are wrong. */
interface ClockDifference {
  readonly isProven: boolean;
  readonly offsetMs: number;
  readonly clocks: readonly ClockReading[];
  readonly otherClocks: readonly ClockReading[];
}

/** Units of a duration, in seconds. */
const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** Formats `90 s`, `2 h`, `1 d 4 h`: the two largest units from two minutes on, without seconds from ten minutes on. */
function formatDifference(milliseconds: number): string {
  const exactSeconds = Math.abs(milliseconds) / 1000;
  const size = exactSeconds < 600 ? exactSeconds : Math.round(exactSeconds / 60) * 60;
  if (size < 10) return `${Math.round(size * 10) / 10} s`;
  if (size < 120) return `${Math.round(size)} s`;
  const first = UNITS.findIndex(([seconds]) => size >= seconds);
  const [[large, largeName] = [1, 's'], [small, smallName] = [1, 's']] = UNITS.slice(first, first + 2);
  const total = Math.round(size / small) * small;
  const rest = Math.round((total % large) / small);
  return [`${Math.floor(total / large)} ${largeName}`, ...(rest > 0 ? [`${rest} ${smallName}`] : [])].join(' ');
}

function nameClock({ kind, name }: ClockReading): string {
  if (kind === 'this-machine') return 'this machine';
  return kind === 'api' ? 'the API' : kind === 'time-server' ? `the time server ${name}` : name;
}

const MAX_NAMES = 4;

/** Joins clock names, the preposition before each but the first: `ns1, of lb1 and of the API`. */
function joinClocks(clocks: readonly ClockReading[], preposition = ''): string {
  const more = clocks.length - MAX_NAMES;
  const names = [...clocks.slice(0, MAX_NAMES).map(nameClock), ...(more > 0 ? [`${more} more`] : [])];
  const [last = '', ...before] = names.map((name, index) => (index === 0 ? name : `${preposition}${name}`)).reverse();
  return before.length === 0 ? last : `${before.reverse().join(', ')} and ${last}`;
}

const describeDirection = (offsetMs: number) => (offsetMs > 0 ? 'ahead of' : 'behind');

const listOffsets = (clocks: readonly ClockReading[]) =>
  clocks
    .filter(({ kind }) => kind !== 'this-machine')
    .map((clock) =>
      Math.round(clock.offsetMs / 100) === 0
        ? `${nameClock(clock)} has the time of this machine`
        : `${nameClock(clock)} is ${formatDifference(clock.offsetMs)} ${describeDirection(clock.offsetMs)} this machine`,
    )
    .join('; ');

/** The path of the configuration file of chronyd and the name of its unit: both differ by operating system. */
interface Chrony {
  readonly conf: string;
  readonly unit: string;
}

/** Formats the commands that set a clock from a time server, now and permanently. */
const formatSetCommand = (server: string, { conf, unit }: Chrony) =>
  `\`grep -q '^server ${server} ' ${conf} || echo 'server ${server} iburst' | sudo tee -a ${conf}; sudo systemctl stop ${unit}; sudo chronyd -q 'server ${server} iburst'; sudo systemctl enable --now ${unit}\``;

const formatSetRemedy = (clockNames: string, [server]: readonly string[], chrony: Chrony) =>
  server === undefined
    ? `Enter a time server in the design. Then set the clock of ${clockNames} from it.`
    : `Set the clock of ${clockNames} from the time server, now and permanently: ${formatSetCommand(server, chrony)}`;

/** Words about the clocks of a site, compared with each other. */
export const clocks = {
  thisMachine: 'this machine',
  none: 'there is no other clock to compare it with',
  offset: (offsetMs: number) => `${Math.round(offsetMs)} ms from the clock of this machine`,
  compared: (others: readonly ClockReading[]) => listOffsets(others),
  title: ({ offsetMs, clocks: differingClocks, otherClocks, isProven }: ClockDifference) => {
    const verb = differingClocks.length > 1 ? 'are' : 'is';
    const preposition = offsetMs > 0 ? 'of ' : '';
    const difference = `${joinClocks(differingClocks)} ${verb} ${formatDifference(offsetMs)} ${describeDirection(offsetMs)} ${joinClocks(otherClocks, preposition)}`;
    return isProven ? difference : `clocks differ: ${difference}`;
  },
  detail: ({ clocks: own, otherClocks, isProven }: ClockDifference) => {
    if (!isProven) return 'there is no third clock that shows which one is wrong';
    // The title already names the difference. The evidence is that the other clocks agree.
    return otherClocks.length <= MAX_NAMES && own.length === 1
      ? 'the other clocks agree'
      : listOffsets([...own, ...otherClocks]);
  },
  remedies: {
    'this-machine': ({ clocks: own }: ClockDifference, servers: readonly string[], chrony: Chrony) =>
      `${formatSetRemedy(joinClocks(own), servers, chrony)} Ignition files that were created before have certificates with the wrong time: Prepare creates new ones.`,
    host: ({ clocks: own }: ClockDifference, servers: readonly string[], chrony: Chrony) =>
      `Log in there and do this. ${formatSetRemedy(joinClocks(own), servers, chrony)}`,
    'time-server': ({ clocks: own, offsetMs }: ClockDifference) =>
      `If you run ${joinClocks(own)}, log in to ${own.map(({ name }) => name).join(' and ')} as root and set the clock ${offsetMs > 0 ? 'back' : 'forward'}: \`date --set='${-Math.round(offsetMs / 1000)} seconds'\` If it is wrong again later, check where that server gets its time: \`chronyc sources\` If another team runs it, inform them, and enter another time server in the design: the nodes take their time from there.`,
    api: () =>
      'On each control plane node, check where it gets its time, and set its clock: `chronyc sources; sudo chronyc makestep`',
    unproven:
      'Compare both with a third clock, for example that of a public web server: `date -u; curl -sI http://www.redhat.com | grep -i ^date` Then set the one that is wrong; for this machine from a time server: `sudo chronyc makestep`',
  },
};
