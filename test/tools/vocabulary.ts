/** A word that this project does not use, and what to write in its place. */
export interface AvoidedWord {
  readonly word: RegExp;
  readonly instead: string;
}

/** Words inside names. A name is split into its words first: `seenMove` is `seen`, `move`. */
export const AVOIDED_IN_NAMES: readonly AvoidedWord[] = [
  { word: /^hands$/, instead: 'manualActions, byHand' },
  { word: /^(?:sight|foresight|outlook)$/, instead: 'ClusterReader, PlannedCluster, …Context' },
  { word: /^(?:recollection|recall)$/, instead: '…Cache, load…' },
  { word: /^(?:clue|clues)$/, instead: 'Symptom' },
  { word: /^(?:trouble|troubles)$/, instead: 'error, userError, failure' },
  { word: /^(?:told|said|says|saying|telling)$/, instead: 'report…, message, text' },
  { word: /^(?:seen|unseen|saw)$/, instead: 'observed…, detected…, unknown, …Probe' },
  { word: /^(?:kept|keeping)$/, instead: 'retained…, existing…, keep… (a verb)' },
  { word: /^(?:anew|whence|wherefrom|manieth)$/, instead: 'again, source, index' },
  { word: /^(?:carried|carrier|born|standing|lingering)$/, instead: 'target…, createdBy…, state…' },
  { word: /^(?:judge|judged|judges|judgement|judging)$/, instead: 'review…, evaluate…, verdict' },
  {
    word: /^(?:furnish|furnished|slip|slips|outlast|comforts|wish|grab|guest|stray|strays)$/,
    instead: 'prepare…, fault, retry…, option, peer, unplanned…',
  },
  { word: /^(?:somebody|nobody|whoever|who|whom|whose)$/, instead: 'user, host, owner, none' },
  { word: /^(?:doable|wayback|riding|rideout|worded|leavings)$/, instead: 'possible, restore, retry…, format…' },
  { word: /^(?:door|doors|room|rooms|rail|course)$/, instead: 'access, capacity, sidebar, progress' },
];

/** Whole names of variables and parameters that say what happened to a thing, and not which thing it is. */
export const AVOIDED_AS_LOCALS: AvoidedWord = {
  word: /^(?:found|shown|served|reported|blocked|placed|wanted|leftOut|likely|refused|fetched|dropped|unconfirmed)$/,
  instead: 'the name of the thing: listener, blockedTargets, servedFile',
};

/** Verbs that begin the name of a function with key bindings: `undoBindings` would read as "undo the bindings". */
export const BINDING_VERBS = /^(?:create|get|list)$/;

/** Words in comments and in the messages of the catalogue. */
export const AVOIDED_IN_SENTENCES: readonly AvoidedWord[] = [
  { word: /\b(?:told|tells that)\b/i, instead: 'reported, shown, named' },
  { word: /\banew\b/i, instead: 'again' },
  { word: /\b(?:nobody|somebody|whoever|whomever)\b/i, instead: 'the user, no host, any client: name it' },
  { word: /\ba person\b/i, instead: 'the user, you' },
  { word: /\bmanieth\b/i, instead: 'its number' },
  { word: /\bthe like\b/i, instead: 'name the things' },
  { word: /\b(?:lies|lie) (?:there|in|at|under|beside|on)\b/i, instead: 'is, stands in' },
  { word: /\bway back\b/i, instead: 'undo, restore' },
  { word: /\b(?:in life|just now)\b/i, instead: 'in production; now' },
  { word: /\bjudge[ds]?\b/i, instead: 'evaluates, reviews, checks' },
  { word: /\b(?:look-ups?|time-outs?|for ever)\b/i, instead: 'lookup, timeout, forever' },
  { word: /\ball the same\b/i, instead: 'anyway' },
  { word: /\b(?:mends?|mended)\b/i, instead: 'fixes, repairs' },
  { word: /\b(?:everybody|anybody|other people)\b/i, instead: 'every user, another team, its owner' },
  {
    word: /\b(?:nodes?|machines?|menu|clients?|bastion|iPXE|they) asks? again\b/i,
    instead: 'retries, sends another request',
  },
  { word: /\basks? (?:a |the |this |its )?(?:name|DHCP|boot|time|API) servers?\b/i, instead: 'queries' },
  { word: /\bends? TLS\b/, instead: 'terminates TLS' },
  { word: /\bshow(?:s|n)? (?:a|the|its|no|another) certificates?\b/i, instead: 'presents a certificate' },
  { word: /\b(?:a )?way to the internet\b/i, instead: 'internet access' },
  { word: /\b(?:seconds|minutes) of a (?:machine|host)\b/i, instead: 'a minimum number of probes, and why' },
  { word: /; left out: /, instead: 'missing: …' },
  { word: /\bon record\b/i, instead: 'recorded' },
  { word: /[“”]/, instead: 'straight quotes' },
  { word: /\bNode (?:reports|would|has no|is installed|compiles|keeps|frees|advises|prints)\b/, instead: 'Node.js' },
];

/** The first words of a comment that make the reader wait for its subject. */
export const AVOIDED_BEGINNINGS = /^(?:What|Who|Whoever|So long|So many|Where|Nobody|Somebody) /;

/** The most words of a sentence in a comment or a message. */
export const LONGEST_SENTENCE = 25;

/** Names that break a rule on purpose, each with its reason. At most thirty. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  kept: 'a key of the JSON that generate and export print',
  slips: 'a key of the saved state of a simulated site',
  lastSeen: 'a word of the field: when a machine was last seen',
  lastSeenAt: 'the same as a time',
  formatLastSeen: 'the text of lastSeenAt',
  trouble: 'a key of the JSON that hosts prints',
  serving: 'a certificate request for a serving certificate, beside client',
  room: 'the id of a wait of operators, in JSON',
  containing: 'the matcher of a text that contains another',
};

/** The same for names in tests only; they count as well. */
export const TEST_EXCEPTIONS: Readonly<Record<string, string>> = {
  seen: 'the observed values, which sets and maps collect',
  seenAt: 'the time at which a value was observed first',
  who: 'the machines that a fault stops: victim, bootstrap or masters',
};
