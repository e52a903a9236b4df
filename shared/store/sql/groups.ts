import type { ConnectionStore, TriggerStore } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { authorizationsIn } from './authorizations.ts'
import { cursorsIn, eventsIn, gapsIn, ingestInto, marksIn, pollsIn, timersIn, undecodableIn } from './intake.ts'
import { loadOf, startsIn } from './starts.ts'
import { hooksIn, subscriptionsIn } from './subscriptions.ts'

/** What triggers and browser connects keep: the same code over a file and in memory. */
export const triggerGroups = (db: Db): Omit<TriggerStore, 'ownWrites'> & Pick<ConnectionStore, 'authorizations'> => ({
  subscriptions: subscriptionsIn(db),
  hooks: hooksIn(db),
  ingest: ingestInto(db),
  events: eventsIn(db),
  undecodable: undecodableIn(db),
  starts: startsIn(db),
  cursors: cursorsIn(db),
  gaps: gapsIn(db),
  polls: pollsIn(db),
  timers: timersIn(db),
  marks: marksIn(db),
  load: loadOf(db),
  authorizations: authorizationsIn(db),
})
