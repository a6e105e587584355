import { flushCompileCache } from 'node:module';
import { BadSetting, describeSettings, readConfig } from '@kwit/server/config';
import type { Service } from '@kwit/server/main';
import { VERSION } from '@kwit/server/version';

/** Runs the service until it is told to stop. */
export async function serve(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(`kwit serve: the electronic invoicing service ${VERSION}\n\n${describeSettings()}`);
    return 0;
  }
  // Listening from the beginning: whoever stops a service that is still starting wants it stopped in order too.
  const told = untilToldToStop();
  let service: Service;
  try {
    const settings = readConfig(args, process.env);
    // Loaded when the settings are good: whoever mistyped one shall not wait for it.
    const { startService } = await import('@kwit/server/main');
    service = await startService(settings);
  } catch (error) {
    return explainFailure(error);
  }
  const { config, url } = service;
  const where = config.databaseUrl === '' ? config.data : `${config.data} (keys); PostgreSQL by DATABASE_URL`;
  console.log(
    [
      // Counted from the beginning of the process, loading of the program included.
      `Kwit ${VERSION} is ready after ${(performance.now() / 1000).toFixed(2)} s.`,
      `  address      ${url}`,
      `  environment  ${config.environment}, under the name ${config.name}`,
      `  data         ${where}${config.ephemeral ? ' (thrown away at the end)' : ''}`,
      `  API page     ${url}/docs`,
    ].join('\n'),
  );
  // Usually written at the end; a service that is killed has none.
  flushCompileCache();
  await told;
  await service.stop();
  return 0;
}

/** Ctrl-C and the supervisor's TERM stop in order; a second one stops at once. */
function untilToldToStop(): Promise<void> {
  return new Promise((resolve) => {
    let told = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (told) process.exit(130);
        told = true;
        resolve();
      });
    }
  });
}

/** 2: the call was wrong; 1: the service could not start. */
function explainFailure(error: unknown): number {
  if (error instanceof BadSetting) {
    console.error(error.message);
    return 2;
  }
  const { code, port, address } = error as { code?: string; port?: number; address?: string };
  if (code === 'EADDRINUSE') {
    console.error(`The port ${port} of ${address} is taken. Choose another one with --port, or 0 for any free one.`);
    return 1;
  }
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
}
