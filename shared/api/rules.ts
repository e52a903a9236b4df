export const allScopes = ['run', 'connections', 'subscriptions', 'approvals', 'read', 'metrics', 'admin'] as const
export type Scope = (typeof allScopes)[number]

/** Who may call: everybody, every valid token, or a token with one of these scopes. */
export type Access = 'public' | 'any' | readonly [Scope, ...Scope[]]

/**
 * What a token that is bound to steps, a tool set, connections or a person may see and do through an operation, and what
 * a program may that a person let in, however widely. What it may not see does not exist for it (`not_found`, and absent
 * from lists); what it may not do is refused (`not_allowed`). The connections of a person are their own and the
 * workspace's; of everything else a token that is bound to a person sees what was made for them, and changes only what
 * is their own.
 *
 * - `tenant`: the same as any other token of the tenant
 * - `step`: the named step; others are refused, and only the token's connections exist
 * - `step-and-connection`: what belongs to a step and a connection that the token may use
 * - `connection`: what belongs to the token's connections, whichever steps it is bound to
 * - `trigger`: like `connection`; refused to a token that is bound to steps, unless it may attach triggers
 * - `own`: what the token created itself, and what belongs to its connections unless it is also bound to steps
 * - `not-steps`: like `connection`; refused to a token that is bound to steps, and to programs
 * - `not-connections`: refused to a token that is bound to connections
 * - `workspace`: refused to a token that is bound to connections or to a person, and to programs
 * - `person`: refused to a token that is bound to steps or connections
 * - `grant`: grants that the token signed, that are for its person, or that the caller is; of others those alone that a
 *   token bound to nothing may read or change
 * - `unbound`: refused to every bound token, and to programs
 */
export type BoundRule =
  | 'tenant'
  | 'step'
  | 'step-and-connection'
  | 'connection'
  | 'trigger'
  | 'own'
  | 'not-steps'
  | 'not-connections'
  | 'workspace'
  | 'person'
  | 'grant'
  | 'unbound'

export type Rule = {
  access: Access
  bound: BoundRule
  /**
   * Whether the operation changes something, or gives out something that must be accounted for: such calls are written
   * to the audit trail.
   */
  changes: boolean
}

/** The scopes of a tenant: a token has at least one of them, or is the operator's alone. */
const anyOfWorkspace = ['run', 'connections', 'subscriptions', 'approvals', 'read'] as const

/**
 * Who may call each operation. The rules are apart from the schemas, so that the pack enforces them without loading
 * those.
 */
export const rules = {
  listIntegrations: { access: ['read', 'run'], bound: 'tenant', changes: false },
  getIntegration: { access: ['read', 'run'], bound: 'tenant', changes: false },
  findSteps: { access: ['read', 'run'], bound: 'tenant', changes: false },
  searchCatalogue: { access: ['read', 'run'], bound: 'tenant', changes: false },

  runStep: { access: ['run'], bound: 'step', changes: true },
  loadStepOptions: { access: ['run'], bound: 'step', changes: false },
  loadStepFields: { access: ['run'], bound: 'step', changes: false },

  clearCache: { access: ['connections'], bound: 'not-steps', changes: true },
  listBudgets: { access: ['read'], bound: 'connection', changes: false },
  getBudget: { access: ['read'], bound: 'connection', changes: false },
  createBudget: { access: ['connections'], bound: 'unbound', changes: true },
  patchBudget: { access: ['connections'], bound: 'unbound', changes: true },
  removeBudget: { access: ['connections'], bound: 'unbound', changes: true },
  listLedger: { access: ['read'], bound: 'step-and-connection', changes: false },
  resolveLedgerEntry: { access: ['connections'], bound: 'unbound', changes: true },

  listLookups: { access: ['read', 'run'], bound: 'tenant', changes: false },
  lookUp: { access: ['run'], bound: 'step', changes: true },

  getStepSample: { access: ['run', 'read'], bound: 'step', changes: false },
  saveStepSample: { access: ['run'], bound: 'step', changes: true },
  deleteStepSample: { access: ['run'], bound: 'step', changes: true },

  listFiles: { access: ['run', 'read'], bound: 'own', changes: false },
  downloadFile: { access: ['run', 'read'], bound: 'own', changes: false },
  getFile: { access: ['run', 'read'], bound: 'own', changes: false },
  deleteFile: { access: ['run'], bound: 'own', changes: true },
  createFile: { access: ['run'], bound: 'own', changes: true },

  createPeopleList: { access: ['run'], bound: 'own', changes: true },
  listPeopleLists: { access: ['run', 'read'], bound: 'own', changes: false },
  getPeopleList: { access: ['run', 'read'], bound: 'own', changes: false },
  deletePeopleList: { access: ['run'], bound: 'own', changes: true },

  createJob: { access: ['run'], bound: 'step', changes: true },
  listJobs: { access: ['run', 'read'], bound: 'step-and-connection', changes: false },
  getJob: { access: ['run', 'read'], bound: 'step-and-connection', changes: false },
  previewJob: { access: ['run'], bound: 'step-and-connection', changes: false },
  resumeJob: { access: ['run'], bound: 'step-and-connection', changes: true },
  pauseJob: { access: ['run'], bound: 'step-and-connection', changes: true },
  cancelJob: { access: ['run'], bound: 'step-and-connection', changes: true },

  listApprovals: { access: ['approvals', 'run', 'read', 'admin'], bound: 'step-and-connection', changes: false },
  getApproval: { access: ['approvals', 'run', 'read', 'admin'], bound: 'step-and-connection', changes: false },
  approveRun: { access: ['approvals', 'run', 'admin'], bound: 'step-and-connection', changes: true },
  denyRun: { access: ['approvals', 'run', 'admin'], bound: 'step-and-connection', changes: true },
  listApprovalRules: { access: ['approvals', 'connections', 'read', 'admin'], bound: 'workspace', changes: false },
  getApprovalRule: { access: ['approvals', 'connections', 'read', 'admin'], bound: 'workspace', changes: false },
  createApprovalRule: { access: ['connections', 'admin'], bound: 'unbound', changes: true },
  changeApprovalRule: { access: ['connections', 'admin'], bound: 'unbound', changes: true },
  deleteApprovalRule: { access: ['connections', 'admin'], bound: 'unbound', changes: true },

  callTool: { access: ['run'], bound: 'step', changes: true },

  getAgentOpenApi: { access: ['read', 'run'], bound: 'tenant', changes: false },

  listConnections: { access: ['connections', 'read'], bound: 'connection', changes: false },
  createConnection: { access: ['connections'], bound: 'not-connections', changes: true },
  authorizeConnection: { access: ['connections'], bound: 'connection', changes: true },
  getConnection: { access: ['connections', 'read'], bound: 'connection', changes: false },
  changeConnection: { access: ['connections'], bound: 'connection', changes: true },
  removeConnection: { access: ['connections'], bound: 'connection', changes: true },
  testConnection: { access: ['connections'], bound: 'connection', changes: false },
  getConnectionLimits: { access: ['connections', 'read'], bound: 'connection', changes: false },
  getConnectionUsage: { access: ['connections', 'read'], bound: 'connection', changes: false },
  listConnectionNames: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  checkConnectionWire: { access: ['connections'], bound: 'connection', changes: false },

  getApp: { access: ['connections', 'read'], bound: 'tenant', changes: false },
  putApp: { access: ['connections'], bound: 'workspace', changes: true },

  listPeople: { access: ['connections', 'read'], bound: 'person', changes: false },
  getPerson: { access: ['connections', 'read'], bound: 'person', changes: false },

  listGrants: { access: anyOfWorkspace, bound: 'grant', changes: false },
  getGrant: { access: anyOfWorkspace, bound: 'grant', changes: false },
  narrowGrant: { access: anyOfWorkspace, bound: 'grant', changes: true },
  endGrant: { access: anyOfWorkspace, bound: 'grant', changes: true },

  loadTriggerOptions: { access: ['subscriptions', 'run'], bound: 'trigger', changes: false },
  listSubscriptions: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  createSubscription: { access: ['subscriptions'], bound: 'connection', changes: true },
  getSubscription: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  changeSubscription: { access: ['subscriptions'], bound: 'connection', changes: true },
  removeSubscription: { access: ['subscriptions'], bound: 'connection', changes: true },
  pauseSubscription: { access: ['subscriptions'], bound: 'connection', changes: true },
  resumeSubscription: { access: ['subscriptions'], bound: 'connection', changes: true },
  rotateSubscriptionSecret: { access: ['subscriptions'], bound: 'connection', changes: true },
  testSubscription: { access: ['subscriptions'], bound: 'connection', changes: true },
  recoverSubscription: { access: ['subscriptions'], bound: 'connection', changes: false },
  sampleSubscription: { access: ['subscriptions'], bound: 'connection', changes: false },
  listAgents: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  testAgent: { access: ['subscriptions'], bound: 'connection', changes: true },

  listHooks: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  pruneHooks: { access: ['subscriptions'], bound: 'connection', changes: true },

  listGaps: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  previewDelivery: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  listEvents: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  listUndecodable: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  getEvent: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  replayEvent: { access: ['subscriptions'], bound: 'connection', changes: true },

  listStarts: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  getStart: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },
  replayStart: { access: ['subscriptions'], bound: 'connection', changes: true },
  replayStarts: { access: ['subscriptions'], bound: 'connection', changes: true },

  stream: { access: ['subscriptions', 'read'], bound: 'connection', changes: false },

  listRuns: { access: ['read'], bound: 'step-and-connection', changes: false },
  getRun: { access: ['read'], bound: 'step-and-connection', changes: false },
  cancelRun: { access: ['run'], bound: 'step-and-connection', changes: true },
  getUsage: { access: ['read'], bound: 'step-and-connection', changes: false },
  exportUsage: { access: ['read'], bound: 'step-and-connection', changes: false },

  listTenants: { access: ['admin'], bound: 'tenant', changes: false },
  createTenant: { access: ['admin'], bound: 'tenant', changes: true },
  listTokens: { access: ['admin'], bound: 'tenant', changes: false },
  createToken: { access: ['admin'], bound: 'tenant', changes: true },
  revokeToken: { access: ['admin'], bound: 'tenant', changes: true },
  getKeys: { access: ['admin'], bound: 'tenant', changes: false },
  rotateKeys: { access: ['admin'], bound: 'tenant', changes: true },
  listAudit: { access: ['admin'], bound: 'tenant', changes: false },
  verifyAudit: { access: ['admin'], bound: 'tenant', changes: false },
  getAuditHead: { access: ['admin'], bound: 'tenant', changes: false },
  getPolicy: { access: ['admin'], bound: 'tenant', changes: false },
  putPolicy: { access: ['admin'], bound: 'tenant', changes: true },
  listChecks: { access: ['admin'], bound: 'tenant', changes: false },
  backup: { access: ['admin'], bound: 'tenant', changes: true },
  getNotificationTarget: { access: ['admin'], bound: 'tenant', changes: false },
  putNotificationTarget: { access: ['admin'], bound: 'tenant', changes: true },
  removeNotificationTarget: { access: ['admin'], bound: 'tenant', changes: true },
  rotateNotificationSecret: { access: ['admin'], bound: 'tenant', changes: true },

  listSuppressions: { access: ['admin'], bound: 'tenant', changes: false },
  addSuppressions: { access: ['admin'], bound: 'tenant', changes: true },
  removeSuppressions: { access: ['admin'], bound: 'tenant', changes: true },
  removeSuppression: { access: ['admin'], bound: 'tenant', changes: true },
  exportPerson: { access: ['admin'], bound: 'tenant', changes: true },
  erasePerson: { access: ['admin'], bound: 'tenant', changes: true },

  live: { access: 'public', bound: 'tenant', changes: false },
  ready: { access: 'public', bound: 'tenant', changes: false },
  getOpenApi: { access: 'any', bound: 'tenant', changes: false },

  createSignInCode: { access: 'any', bound: 'tenant', changes: true },
  signIn: { access: 'public', bound: 'tenant', changes: true },
  getSession: { access: 'any', bound: 'tenant', changes: false },
  signOut: { access: 'any', bound: 'tenant', changes: true },

  getServer: { access: 'any', bound: 'tenant', changes: false },
  getMetrics: { access: ['metrics', 'admin'], bound: 'tenant', changes: false },
} as const satisfies { [operation: string]: Rule }
export type OperationId = keyof typeof rules

/** Rules for uses that are no operation of their own. */
export const otherRules = {
  /** Listing the connections that the tools of a list can take. */
  listToolConnections: { access: ['run', 'read'], bound: 'connection', changes: false },
  /** Getting a link to connect the account that a run lacked. */
  connectForRun: { access: ['run'], bound: 'connection', changes: true },
  /** Reading the resources that agents see beside the tools. */
  readResources: { access: ['read'], bound: 'connection', changes: false },
  /** Deciding about the calls of others, and reading all that the bounds of a token allow. */
  decideForOthers: { access: ['approvals', 'admin'], bound: 'step-and-connection', changes: true },
  /** Learning what one's own call came to. */
  readOwnOutcome: { access: ['run'], bound: 'step-and-connection', changes: false },
  readHeldRuns: { access: ['approvals', 'read', 'admin'], bound: 'step-and-connection', changes: false },
  reconcileHooks: { access: ['subscriptions'], bound: 'connection', changes: false },
} as const satisfies { [use: string]: Rule }
