import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import CDP from 'chrome-remote-interface';
import { requireProgram } from './programs.ts';

/** How a page is shown. */
export interface PageView {
  readonly scheme: 'light' | 'dark';
  readonly media: 'screen' | 'print';
  /** Pixels. */
  readonly width: number;
}

/** The result of opening a page in a real browser. */
interface PageResult {
  /** Requests beside the page itself. */
  readonly requests: readonly string[];
  /** Messages of the console and exceptions. */
  readonly messages: readonly string[];
  /** Rules of axe-core that the page breaks, with the elements. */
  readonly violations: readonly string[];
  /** Pixels that the page is wider than its window. */
  readonly overflow: number;
  /** PNG, of the whole page. */
  readonly picture: Buffer;
}

export interface Browser {
  /** Opens a file from disk with the network off. */
  readonly open: (file: string, view: PageView) => Promise<PageResult>;
  readonly close: () => Promise<void>;
}

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--hide-scrollbars',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  // Names are never looked up.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--remote-debugging-port=0',
];

/** Starts Chromium with a profile of its own. */
export async function startBrowser(): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'upi-browser-'));
  const child = spawn(requireProgram('chromium'), [...ARGUMENTS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const port = await readPort(child);
  return {
    open: (file, view) => openPage(port, file, view),
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function readPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, port] = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(text) ?? [];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('exit', () => reject(new Error(`Chromium has ended: ${text}`)));
  });
}

async function openPage(port: number, file: string, { scheme, media, width }: PageView): Promise<PageResult> {
  const target = await CDP.New({ port, host: '127.0.0.1' });
  const client = await CDP({ port, host: '127.0.0.1', target });
  const { Page, Network, Runtime, Log, Emulation } = client;
  const url = `file://${file}`;
  const requests: string[] = [];
  const messages: string[] = [];
  Network.on('requestWillBeSent', ({ request }) => {
    if (request.url !== url) requests.push(request.url);
  });
  Runtime.on('consoleAPICalled', ({ args }) => messages.push(args.map(({ value }) => String(value)).join(' ')));
  Runtime.on('exceptionThrown', ({ exceptionDetails }) => messages.push(exceptionDetails.text));
  Log.on('entryAdded', ({ entry }) => messages.push(entry.text));
  try {
    await Promise.all([Page.enable(), Network.enable({}), Runtime.enable(), Log.enable()]);
    await Network.emulateNetworkConditions({ offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 });
    await Emulation.setDeviceMetricsOverride({ width, height: 900, deviceScaleFactor: 1, mobile: false });
    await Emulation.setEmulatedMedia({ media, features: [{ name: 'prefers-color-scheme', value: scheme }] });
    const loaded = new Promise((resolve) => Page.on('loadEventFired', resolve));
    await Page.navigate({ url });
    await loaded;
    const evaluate = async (expression: string): Promise<unknown> => {
      const { result, exceptionDetails } = await Runtime.evaluate({
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    const overflow = Number(
      await evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    );
    await evaluate(`${axe.source}; undefined`);
    const violations = (await evaluate(
      'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + " " + target)))',
    )) as string[];
    const { data } = await Page.captureScreenshot({ captureBeyondViewport: true });
    return { requests, messages, violations, overflow, picture: Buffer.from(data, 'base64') };
  } finally {
    await client.close();
    await CDP.Close({ port, host: '127.0.0.1', id: target.id });
  }
}
