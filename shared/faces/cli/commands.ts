import type { Command } from 'commander'
import type { Configuration } from '../../settings.ts'
import type { CommandParts } from './command-parts.ts'
import { declareCommands } from './declare.ts'
import { appCommands } from './topics/apps.ts'
import { approvalCommands } from './topics/approvals.ts'
import { auditCommands } from './topics/audit.ts'
import { authorCommands } from './topics/authors.ts'
import { catalogueCommands } from './topics/catalogue.ts'
import { connectionCommands } from './topics/connections.ts'
import { creditCommands } from './topics/credits.ts'
import { dataCommands } from './topics/data.ts'
import { eventCommands } from './topics/events.ts'
import { fileCommands } from './topics/files.ts'
import { jobCommands } from './topics/jobs.ts'
import { keyCommands } from './topics/keys.ts'
import { lookupCommands } from './topics/lookups.ts'
import { notificationCommands } from './topics/notifications.ts'
import { grantCommands } from './topics/grants.ts'
import { peopleListCommands } from './topics/people-lists.ts'
import { peopleCommands } from './topics/people.ts'
import { privacyCommands } from './topics/privacy.ts'
import { runCommands } from './topics/runs.ts'
import { serverCommands } from './topics/server.ts'
import { stepCommands } from './topics/steps.ts'
import { subscriptionCommands } from './topics/subscriptions.ts'
import { tenantCommands } from './topics/tenants.ts'
import { upgradeCommands } from './topics/upgrade.ts'

/** Adds every command except `serve`, `mcp` and `demo`, which command.ts adds. */
export const addCommands = (line: {
  program: Command
  parts: CommandParts
  finish(code: number): void
  configuration(): Configuration
}): void =>
  declareCommands(line, [
    ...appCommands,
    ...approvalCommands,
    ...auditCommands,
    ...authorCommands,
    ...catalogueCommands,
    ...connectionCommands,
    ...creditCommands,
    ...dataCommands,
    ...eventCommands,
    ...fileCommands,
    ...jobCommands,
    ...keyCommands,
    ...lookupCommands,
    ...notificationCommands,
    ...peopleCommands,
    ...peopleListCommands,
    ...grantCommands,
    ...privacyCommands,
    ...runCommands,
    ...serverCommands(line.program),
    ...stepCommands,
    ...subscriptionCommands,
    ...tenantCommands,
    ...upgradeCommands,
  ])
