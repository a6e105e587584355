import { CONTEXT_TYPES } from '@kwit/contract/enumerations';
import { admitCallers, blockCallers } from '@kwit/server/gateway/change-blocks';
import { ADDRESS, type Blocked, readAddresses } from '@kwit/server/gateway/rules';
import { readBlocks } from '@kwit/server/gateway/store';
import { FAILED, Misuse, OK, readArguments } from '../run-command.ts';
import { table } from '../table.ts';
import { only, onlyArgument } from './registers.ts';
import { type RegistryTools, readIdentifier } from './tools.ts';

/** The manual switch in front of everything: callers of a context, or from addresses, get 403 `security-service-blocked`. */
export const GATEWAY: Readonly<Record<string, (tools: RegistryTools, args: readonly string[]) => Promise<number>>> = {
  'gateway block': async (tools, args) => {
    const { values, positionals } = readArguments(args, { reason: { type: 'string' } });
    const whom = readCallers(tools, only(positionals, 'a context or addresses'));
    if (!values.reason) throw new Misuse('--reason is missing: why are they shut out?');
    const incident = await blockCallers(tools, whom, values.reason);
    tools.io.out(`${whom.type} ${whom.value} is shut out; callers are told the incident ${incident}.`);
    return OK;
  },
  'gateway admit': async (tools, args) => {
    const whom = readCallers(tools, onlyArgument(args, 'a context or addresses'));
    if (!(await admitCallers(tools, whom))) {
      tools.io.err(`${whom.type} ${whom.value} was not shut out.`);
      return FAILED;
    }
    tools.io.out(`${whom.type} ${whom.value} is admitted again.`);
    return OK;
  },
  'gateway list': async (tools, args) => {
    const { positionals } = readArguments(args, {});
    if (positionals.length > 0) throw new Misuse(`'gateway list' takes no '${positionals[0]}'.`);
    const rows = (await readBlocks(tools.database)).map((block) => [
      `${block.type} ${block.value}`,
      block.blocked_at.toISOString().slice(0, 16),
      block.incident,
      block.reason,
    ]);
    tools.io.out(
      rows.length === 0 ? 'Nobody is shut out.' : table(['WHO', 'SINCE', 'INCIDENT', 'REASON'], rows).join('\n'),
    );
    return OK;
  },
};

/** `203.0.113.7`, `203.0.113.0/24`, `203.0.113.1-203.0.113.9` (also of IPv6), else a context. */
function readCallers(tools: RegistryTools, text: string): Blocked {
  const value = text.toLowerCase();
  if (readAddresses(value)) return { type: ADDRESS, value };
  return readIdentifier(tools, text, CONTEXT_TYPES);
}
