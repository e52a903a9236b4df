import { approvals } from './migrations-approvals.ts'
import { bulkJobs } from './migrations-bulk-jobs.ts'
import { connectChoices, connectLocales, defaultContainers, identities, profiles } from './migrations-connections.ts'
import { credits } from './migrations-credits.ts'
import { lookupRates, lookupRateTimes, lookups } from './migrations-lookups.ts'
import { oauth } from './migrations-oauth.ts'
import { keysOfPeopleLists, peopleLists } from './migrations-people-lists.ts'
import { people, rowsOfPeople } from './migrations-people.ts'
import { batches, runContents, runParents, usage } from './migrations-runs.ts'
import { suppressions } from './migrations-privacy.ts'
import { sentences } from './migrations-sentences.ts'
import { unclaimedEvents } from './migrations-unclaimed.ts'

/** Forward only. A released migration is never edited; changes are appended as a new one. */
export type Migration = {
  id: number
  name: string
  /** For SQLite; PostgreSQL gets a translation of its types, see `definitionIn`. */
  sql: string
  /** For PostgreSQL, where translating the types is not enough. */
  postgres?: string
  /**
   * Processes of the previous version can keep working: the migration only adds tables, indexes, and columns that are
   * nullable or have a default.
   */
  additive?: true
}

const accountsAndRuns = `
create table meta (name text primary key, value text not null) strict;
create table tenants (id text primary key, name text not null, created_at integer not null) strict;
create table tokens (
  tenant text not null, id text not null, name text not null, hash text not null unique, last_4 text not null, scopes text not null,
  steps text, connections text, created_at integer not null, expires_at integer, revoked_at integer,
  primary key (tenant, id)
) strict;
create table apps (
  tenant text not null, integration text not null, key text not null, secrets text not null, hints text not null,
  created_at integer not null, updated_at integer not null,
  primary key (tenant, integration)
) strict;
create table connections (
  tenant text not null, id text not null, integration text not null, type text not null, name text not null,
  state text not null, state_reason text, state_at integer not null, account_id text, account_name text,
  secrets text not null, hints text not null, policy text, external_id text, labels text not null, is_default integer not null,
  created_at integer not null, updated_at integer not null, last_used_at integer,
  primary key (tenant, id)
) strict;
create table runs (
  tenant text not null, id text not null, integration text not null, step text not null, connection text, token text, start_id text,
  effect text not null, state text not null, code text, failure text, attempts integer not null, calls integer not null,
  credits real not null, credits_estimated integer not null, created_at integer not null, duration_ms real not null,
  primary key (tenant, id)
) strict;
create index runs_newest on runs (tenant, created_at, id);
create index runs_of_start on runs (tenant, start_id, created_at, id) where start_id is not null;
create table intents (
  tenant text not null, key text not null, request_hash text not null, run_id text not null, state text not null, outcome text,
  created_at integer not null, expires_at integer not null,
  primary key (tenant, key)
) strict;
create index intents_open on intents (created_at) where state in ('planned', 'sending');
`

const triggers = `
create table subscriptions (
  tenant text not null, id text not null, integration text not null, trigger text not null, connection text not null,
  config text not null, agent text not null, secrets text not null, options text not null, delivery text not null,
  state text not null, state_reason text, state_at integer not null, start_mark integer not null, external_id text, labels text not null,
  created_at integer not null, updated_at integer not null, deleted_at integer,
  primary key (tenant, id)
) strict;
create index subscriptions_newest on subscriptions (tenant, created_at, id);
create index subscriptions_of_connection on subscriptions (tenant, connection);
create index subscriptions_deleted on subscriptions (deleted_at) where deleted_at is not null;
create table hooks (
  tenant text not null, id text not null unique, integration text not null, connection text not null, model text not null,
  callback_url text not null, provider_id text, state text not null, state_reason text, state_at integer not null,
  failures integer not null, last_delivery_at integer, created_at integer not null, updated_at integer not null,
  primary key (tenant, id)
) strict;
create unique index hooks_live on hooks (tenant, connection, model) where state in ('wanted', 'active', 'broken');
create table hook_uses (
  tenant text not null, hook text not null, subscription text not null,
  primary key (tenant, hook, subscription)
) strict, without rowid;
create index hook_uses_of_subscription on hook_uses (tenant, subscription);
create table events (
  tenant text not null, connection text not null, id text not null, integration text not null, hook text, type text not null,
  at integer not null, received_at integer not null, via text not null, caused_by_us text not null, run_id text, depth integer not null,
  board text, card text, state text not null, attempts integer not null, due_at integer not null, raw blob,
  primary key (tenant, connection, id)
) strict;
create index events_newest on events (tenant, received_at, id);
create index events_pending on events (due_at) where state = 'pending';
create index events_with_payload on events (received_at) where raw is not null;
create table undecodable (
  tenant text not null, id text not null, integration text not null, connection text not null, hook text not null,
  received_at integer not null, reason text not null, raw blob,
  primary key (tenant, id)
) strict;
create index undecodable_age on undecodable (received_at);
create table starts (
  tenant text not null, id text not null, subscription text not null, event text not null, integration text not null, trigger text not null,
  connection text not null, subject text, serial integer not null, settle_ms integer, state text not null, attempts integer not null,
  due_at integer not null, lease_epoch integer not null, event_at integer not null, via text not null, caused_by_us text not null,
  depth integer not null, late integer not null, test integer not null, merged_into text, replay_of text, data text, answer text,
  created_at integer not null, ended_at integer, archived integer not null default 0,
  primary key (tenant, id)
) strict;
create index starts_newest on starts (tenant, created_at, id);
create index starts_of_subscription on starts (tenant, subscription, created_at, id);
create index starts_of_event on starts (tenant, event, created_at, id);
create index starts_open on starts (due_at, state) where state in ('pending', 'leased');
create index starts_open_of_subject on starts (tenant, subscription, subject) where state in ('pending', 'leased') and subject is not null;
create index starts_dead on starts (tenant, created_at, id) where state = 'dead';
create index starts_ended on starts (ended_at) where archived = 0 and ended_at is not null;
create table cursors (
  tenant text not null, connection text not null, model text not null, position text, at integer not null, listed_at integer not null,
  primary key (tenant, connection, model)
) strict;
create table gaps (
  tenant text not null, id text not null, connection text not null, model text not null, from_at integer not null, to_at integer not null,
  kind text not null, reason text not null, created_at integer not null,
  primary key (tenant, id)
) strict;
create table polls (
  tenant text not null, connection text not null, integration text not null, resource text not null, cursor text, scanned_at integer,
  due_at integer not null, failures integer not null, reason text,
  primary key (tenant, connection, resource)
) strict;
create table timers (
  tenant text not null, subscription text not null, key text not null, connection text not null, resource text not null,
  due_at integer not null, data text not null,
  primary key (tenant, subscription, key)
) strict;
create index timers_due on timers (due_at);
create table own_writes (
  tenant text not null, connection text not null, object text not null, run_id text not null, step text not null, start_id text, at integer not null,
  primary key (tenant, connection, object, run_id)
) strict;
create index own_writes_age on own_writes (tenant, at);
`

const accounts = `
create table authorizations (
  id text primary key, tenant text not null, integration text not null, type text not null, connection text, name text, browser text,
  return_to text, external_id text, labels text not null, secrets text not null, token text,
  created_at integer not null, expires_at integer not null, used_at integer
) strict;
create index authorizations_expiry on authorizations (expires_at);
create table audit (
  tenant text not null, seq integer not null, at integer not null, actor text not null, start_id text, run_id text, integration text,
  connection text, method text not null, path text not null, outcome text not null, provider_status integer, decision text not null,
  key_id text, before text not null, hash text not null,
  primary key (tenant, seq)
) strict;
create table audit_chains (
  tenant text primary key, anchor_seq integer not null, anchor_hash text not null, head_seq integer not null, head_hash text not null
) strict;
create index intents_expiry on intents (expires_at);
`

/** `oauth_version`: how the connection was made, which decides where its token goes and whether it can be refreshed. */
const connecting = `
alter table connections add column oauth_version text;
alter table connections add column expires_at integer;
alter table apps add column client_id text;
alter table tenants add column policy text;
`

/** `suspect_since`: from when a webhook may have missed deliveries, until a gap is recorded. */
const suspects = `alter table hooks add column suspect_since integer;`

/**
 * `origin`: `environment` and `first-start` are the server's own tokens, `superseded` one that another has replaced.
 * Earlier rows are recognised by names that only the server assigned. `sealed_under`: master key of a stored outcome.
 * `head_mac`, `anchor_mac`: signatures of both ends of an audit chain; `keyed_from`: rows before it were written
 * without a key; `broken_at`: where the chain was found modified.
 */
const keyed = `
alter table tokens add column origin text;
update tokens set origin = case name when 'First start' then 'first-start' else 'environment' end
  where tenant = 'default' and name in ('First start', 'From the environment') and scopes like '%"admin"%';
alter table intents add column sealed_under text;
alter table audit_chains add column head_mac text;
alter table audit_chains add column anchor_mac text;
alter table audit_chains add column keyed_from integer;
alter table audit_chains add column broken_at integer;
`

/** `refused`: deliveries refused in a row since the last accepted one. */
const refusals = `
alter table hooks add column refused integer not null default 0;
alter table hooks add column refused_since integer;
alter table hooks add column refused_at integer;
alter table hooks add column refused_reason text;
`

/** `bytes`: size of the row. `may_go`: the run only read, so the row may be evicted; unknown for earlier rows. */
const quotas = `
alter table intents add column bytes integer not null default 512;
alter table intents add column may_go integer not null default 0;
update intents set bytes = 512 + coalesce(length(outcome), 0);
create index intents_size on intents (tenant, bytes);
create index intents_may_go on intents (tenant, expires_at) where may_go = 1;
`

/** Open starts by subscription, so that each gets its share without a scan of the others' backlog. */
const queues = `create index starts_open_queues on starts (tenant, subscription, due_at) where state in ('pending', 'leased');`

const sendingRuns = `create index runs_sending on runs (state) where state = 'sending';`

/** Indexes that retention uses. */
const retention = `
create index gaps_age on gaps (created_at);
create index hooks_deleted on hooks (updated_at) where state = 'deleted';
`

/** What a connection is limited to gets a general name instead of one provider's word. */
const scopes = `
update connections set policy = json_set(json_remove(policy, '$.boards'), '$.scopes', json_extract(policy, '$.boards'))
  where json_extract(policy, '$.boards') is not null;
`

/** Events of any provider have a subject and a container. */
const subjects = `
alter table events rename column card to subject;
alter table events rename column board to container;
`

/**
 * `secrets`: our own secrets, separate for each hook. `types`: event types the hook was registered for; hooks
 * registered earlier deliver every type.
 */
const hookSecrets = `
alter table hooks add column secrets text not null default '{}';
alter table hooks add column types text not null default '["*"]';
`

/** Endpoints that have returned a match to a connection. `fingerprint`: of the profile and key that were used. */
const matches = `
create table matches (
  tenant text not null, connection text not null, endpoint text not null, fingerprint text not null, at integer not null,
  primary key (tenant, connection, endpoint)
) strict, without rowid;
`

/**
 * `notification_targets`: where a tenant's notifications go; they wait among the starts, under the subscription
 * `notifications`. `previous_until`: until when the previous secret is used as well. `failing_since`: since when every
 * call to an agent has failed.
 */
const notifications = `
create table notification_targets (
  tenant text primary key, url text, types text, secrets text not null, previous_until integer,
  created_at integer not null, updated_at integer not null
) strict;
alter table subscriptions add column previous_until integer;
alter table subscriptions add column failing_since integer;
create index subscriptions_previous_secret on subscriptions (previous_until) where previous_until is not null;
create index notification_targets_previous_secret on notification_targets (previous_until) where previous_until is not null;
create index starts_paused on starts (created_at) where state = 'paused';
`

/** `tool_set`: the set of steps that a token is bound to; null: any step. */
const toolSets = `alter table tokens add column tool_set text;`

/**
 * `secrets`: the key that the content of a file is encrypted with. Chunks are rows of their own, so that no statement
 * holds a whole file. `key`: the idempotency key of the request that made it.
 */
const files = `
create table files (
  tenant text not null, id text not null, name text not null, media_type text not null, size integer not null, sha_256 text not null,
  state text not null, source text not null, run_id text, key text, secrets text not null, created_at integer not null, expires_at integer not null,
  primary key (tenant, id)
) strict;
create index files_newest on files (tenant, created_at, id);
create index files_expiry on files (expires_at);
create unique index files_key on files (tenant, key) where key is not null and state = 'ready';
create table file_chunks (
  tenant text not null, file text not null, number integer not null, content blob not null,
  primary key (tenant, file, number)
) strict;
`

/** `connections`: JSON list of the connections that a file belongs to. */
const filesOfConnections = `alter table files add column connections text;`

/** `failing_reason`: what the agent of a subscription answers while its calls fail. */
const failingReasons = `alter table subscriptions add column failing_reason text;`

/** `token`: the token that created a file. */
const tokensOfFiles = `alter table files add column token text;`

/** `exchanges`: the attempts of a run, as JSON; null when the other columns describe the only one. */
const runExchanges = `
alter table runs add column waited_ms integer not null default 0;
alter table runs add column refused integer not null default 0;
alter table runs add column exchanges text;
`

/** Hashes only: the sign-in code itself is in the link, the session secret in the browser. */
const sessions = `
create table sign_in_codes (
  hash text primary key, tenant text not null, token text not null, created_at integer not null, expires_at integer not null
) strict;
create index sign_in_codes_of_token on sign_in_codes (tenant, token);
create index sign_in_codes_expiry on sign_in_codes (expires_at);
create table sessions (
  hash text primary key, tenant text not null, token text not null, created_at integer not null, expires_at integer not null
) strict;
create index sessions_of_token on sessions (tenant, token);
create index sessions_expiry on sessions (expires_at);
`

/** `answers`: the attempts of a start, as JSON; null when there was none, or `answer` describes the only one. */
const startAnswers = `alter table starts add column answers text;`

/** Saved inputs and outputs of steps. `secrets`: the key that the content is encrypted with. */
const samples = `
create table samples (
  tenant text not null, id text not null, secrets text not null, content blob not null, saved_at integer not null, expires_at integer not null,
  primary key (tenant, id)
) strict;
create index samples_expiry on samples (expires_at);
`

/** The provider's own position in a history, beside the id of the last event. Null in rows of before. */
const historyPositions = `alter table cursors add column history_position text;`

/** The models that a subscription watches, as a JSON list, where they are read from a stored list. */
const watchedLists = `alter table subscriptions add column watched text;`

export const migrations: readonly Migration[] = [
  { id: 1, name: 'accounts and runs', sql: accountsAndRuns },
  { id: 2, name: 'triggers', sql: triggers },
  { id: 3, name: 'authorizations, audit, expiry', sql: accounts },
  { id: 4, name: 'connecting', sql: connecting },
  { id: 5, name: 'webhooks under suspicion', sql: suspects },
  { id: 6, name: 'tokens of the server, sealed outcomes, keyed audit log', sql: keyed },
  { id: 7, name: 'refused deliveries', sql: refusals },
  { id: 8, name: 'room for idempotency keys', sql: quotas },
  { id: 9, name: 'queues of starts', sql: queues },
  { id: 10, name: 'runs cut off while sending', sql: sendingRuns },
  { id: 11, name: 'retention of gaps and hooks', sql: retention },
  { id: 12, name: 'scopes of connections', sql: scopes, postgres: '' },
  { id: 13, name: 'subject and container of events', sql: subjects },
  { id: 14, name: 'secrets and types of hooks', sql: hookSecrets },
  { id: 15, name: 'endpoints that gave a match', sql: matches },
  { id: 16, name: 'profiles of connections', sql: profiles },
  { id: 17, name: 'notifications, secrets of agents before', sql: notifications },
  { id: 18, name: 'tool sets of tokens', sql: toolSets },
  { id: 19, name: 'files', sql: files },
  { id: 20, name: 'choices of connect links', sql: connectChoices },
  { id: 21, name: 'connections of files', sql: filesOfConnections },
  { id: 22, name: 'exchanges of runs', sql: runExchanges },
  { id: 23, name: 'sessions', sql: sessions },
  { id: 24, name: 'attempts of starts', sql: startAnswers },
  { id: 25, name: 'samples of steps', sql: samples },
  { id: 26, name: 'usage totals, runs that are not done', sql: usage },
  { id: 27, name: 'runs that are sending', sql: batches, additive: true },
  { id: 28, name: 'bulk jobs', sql: bulkJobs, additive: true },
  { id: 29, name: 'credits', sql: credits, additive: true },
  { id: 30, name: 'results of lookups', sql: lookups, additive: true },
  { id: 31, name: 'suppressions', sql: suppressions, additive: true },
  { id: 32, name: 'parents of runs', sql: runParents, additive: true },
  { id: 33, name: 'tokens of files', sql: tokensOfFiles, additive: true },
  { id: 34, name: 'why agents fail', sql: failingReasons, additive: true },
  { id: 35, name: 'events of unknown accounts', sql: unclaimedEvents, additive: true },
  // Older processes know no person of a token, and would let it act for everybody.
  { id: 36, name: 'people', sql: people },
  { id: 37, name: 'rows of people', sql: rowsOfPeople, additive: true },
  { id: 38, name: 'sign-in of clients', sql: oauth, additive: true },
  { id: 39, name: 'approvals', sql: approvals, additive: true },
  { id: 40, name: 'jobs and contents of runs', sql: runContents, additive: true },
  { id: 41, name: 'sentences and names', sql: sentences, additive: true },
  { id: 42, name: 'whom connections act as', sql: identities, additive: true },
  { id: 43, name: 'positions in histories', sql: historyPositions, additive: true },
  { id: 44, name: 'rates of lookups', sql: lookupRates, additive: true },
  { id: 45, name: 'ages of rates of lookups', sql: lookupRateTimes, additive: true },
  { id: 46, name: 'lists of people', sql: peopleLists, additive: true },
  { id: 47, name: 'keys of lists of people', sql: keysOfPeopleLists, additive: true },
  { id: 48, name: 'what is watched of lists', sql: watchedLists, additive: true },
  { id: 49, name: 'default containers of connections', sql: defaultContainers, additive: true },
  { id: 50, name: 'languages of connect links', sql: connectLocales, additive: true },
]
