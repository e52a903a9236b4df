// Built by `npm run manifests`.

/** Input and answer of each operation, and the options that a call of it takes. */
export type OperationTypes = {
  /** List the installed integrations */
  listIntegrations: {
    input: { [field: string]: never }
    answer: {
      items: Array<{
        id: string
        title: string
        summary: string
        version: string
        maturity: 'stable' | 'beta'
        /** false: the operator has to add settings first */
        ready: boolean
        steps: number
        triggers: number
      }>
    }
    options: never
  }
  /** Get the manifest of an integration */
  getIntegration: {
    input: {
      /** Wire profile to show it with, such as that of a connection */
      profile?: string | undefined
      /** Language of its texts, such as "de"; takes precedence over Accept-Language. Texts without a translation are English */
      locale?: string | undefined
      id: string
    }
    answer: {
      /** Path of the schema, relative to the manifest */
      $schema: string
      /** Identifies this version of the manifest */
      urn: string
      /** Version of the format */
      schemaVersion: '1.3'
      /** Id of the integration; it never changes */
      id: string
      /** Display name */
      title: string
      /** Description in one sentence */
      summary: string
      /** Other words that people search for: the kind of product, and names it is known by */
      keywords: string[]
      /** Version of the integration */
      version: string
      /** beta: parts of it are guesses, listed in `wire.assumed` */
      maturity: 'stable' | 'beta'
      /** Paths of its icon, relative to the manifest */
      icon: {
        /** For light backgrounds */
        light: string
        /** For dark backgrounds */
        dark: string
      }
      /** true: every step that has an endpoint in the current wire profile can run */
      ready: boolean
      /** Groups of steps, in the order of the picker */
      groups: string[]
      /** Ways to connect an account */
      connections: Array<{
        /** Unique in the integration; it never changes */
        id: string
        /** Display name */
        title: string
        /** When to choose it */
        purpose: string
        /** Offer this one first */
        recommended: boolean
        /** Instructions for finding the values */
        help: string | null
        /** How an account is connected */
        flow: 'secrets' | 'token-page' | 'oauth-1.0a' | 'oauth-2.0'
        /** Address of the token page */
        authorize: {
          /** Path of the page */
          path: string
          /** Query parameters, which may contain {appName} and {key} */
          params: {
            [field: string]: string
          }
        } | null
        /** OAuth scopes of the provider that connecting asks for */
        oauthScopes: string[]
        /** The app registration at the provider, which the operator must set first; null: none is needed */
        app: {
          /** Route that takes its key and secret */
          set: string
          /** Redirect address to register, below the server's public address */
          callback: string | null
          /** The same as a sentence for the operator */
          help: string
        } | null
        /** A JSON Schema */
        secrets: {
          [field: string]: unknown
        }
        /** How a form is drawn */
        layout: Layout
        /** true: connecting verifies the credential with a free request */
        testable: boolean
      }>
      /** Steps that can be run */
      steps: Array<{
        /** Unique in the integration; it never changes */
        id: string
        /** Display name */
        title: string
        /** One of `groups` */
        group: string
        /** One sentence, written for an agent */
        purpose: string
        /** Version of its contract: within a major version inputs gain optional fields only, outputs gain fields only */
        version: string
        /** Present when it has a replacement; it works until the next major version of the integration */
        deprecated: {
          /** Version of the integration */
          since: string
          /** Id of the replacement */
          use: string
        } | null
        /** Shown beside the title */
        badges: Array<'beta' | 'legacy' | 'deprecated' | 'credits' | 'setup' | 'advanced'>
        /** Other words that people search for */
        keywords: string[]
        /** Path of its icon, relative to the manifest; drawn in the text colour */
        icon: string | null
        /** OAuth scopes of the provider that it needs */
        oauthScopes: string[]
        /** The field that chooses the account; null: it needs none */
        connection: Connection | null
        /** Name of its MCP tool, OpenAPI operation and library tool */
        tool: string
        /** What it does at the provider; by-method: depends on the HTTP method */
        effect: 'read' | 'create' | 'update' | 'delete' | 'by-method'
        cost: Cost | null
        /** The price in words, as the wire profile states it */
        price: string | null
        /** What it looks up one of by identifiers, so that a job can do it for every row of a file; null: something else */
        lookup: 'person' | 'company' | null
        /** Present when stored lists of people or companies can be made from its output */
        listSource?: true
        /** Present when it is kept only for agents built with it; offer the other step */
        legacy: {
          /** Id of the step to offer */
          use: string
        } | null
        /** false: settings named in `needs` are missing */
        ready: boolean
        /** Missing settings, to be set by the operator */
        needs: string[]
        /** Why it is not ready, in sentences */
        notReady: string | null
        /** A JSON Schema */
        input: {
          [field: string]: unknown
        }
        /** A JSON Schema */
        form: {
          [field: string]: unknown
        }
        /** A JSON Schema */
        output: {
          [field: string]: unknown
        }
        /** Fields of the output that agents get by default, as dotted paths into objects and list entries; null: all */
        agentFields: string[] | null
        /** Extras of fields, by name */
        fields: Fields
        /** Fields that the account defines, loaded with POST …/fields: `field` of the input holds their values, `dependsOn` is needed first; null: it has none */
        accountFields: AccountFields | null
        /** Field of the container, such as a project, which may be left out: a run then works in that of the event that started its agent, or else in the default one of the connection */
        container: string | null
        /** How a form is drawn */
        layout: Layout
        /** A recorded output, to map fields into later steps without a run; null: there is none */
        sample: unknown
        /** Cases that our tests replay */
        examples: Example[]
      }>
      /** Triggers that can start an agent */
      triggers: Array<{
        /** Unique in the integration; it never changes */
        id: string
        /** Display name */
        title: string
        /** One sentence, written for the builder */
        purpose: string
        /** Version of its contract: within a major version inputs gain optional fields only, outputs gain fields only */
        version: string
        /** Present when it has a replacement; it works until the next major version of the integration */
        deprecated: {
          /** Version of the integration */
          since: string
          /** Id of the replacement */
          use: string
        } | null
        /** Shown beside the title */
        badges: Array<'beta' | 'deprecated' | 'instant' | 'polling'>
        /** Other words that people search for */
        keywords: string[]
        /** Path of its icon, relative to the manifest; drawn in the text colour */
        icon: string | null
        /** OAuth scopes of the provider that it needs */
        oauthScopes: string[]
        /** The field that chooses the account, drawn before the others */
        connection: Connection
        /** false: settings named in `needs` are missing */
        ready: boolean
        /** Missing settings, to be set by the operator */
        needs: string[]
        /** Why it is not ready, in sentences */
        notReady: string | null
        /** true: events arrive instantly, by webhook; false: the provider is polled */
        instant: boolean
        /** Supported kinds of delivery; the first is the default */
        delivery: Array<'webhook' | 'poll'>
        /** How many of the events missed during downtime can be recovered; with polling delivery, how many are seen at all */
        recoverable: 'all' | 'some' | 'none'
        /** Types of events that arrive by webhook only */
        webhookOnly: string[]
        /** Why no history holds such a type, by type; absent: nothing is said */
        whyWebhookOnly?: {
          [field: string]: string
        }
        /** What the builder must know */
        caveat: string | null
        /** A JSON Schema */
        config: {
          [field: string]: unknown
        }
        /** A JSON Schema */
        options: {
          [field: string]: unknown
        }
        /** A JSON Schema */
        data: {
          [field: string]: unknown
        }
        /** Extras of fields, by name */
        fields: Fields
        /** Field of the config with the containers to watch, which may be left out: a subscription then watches the default one of its connection */
        container: string | null
        /** How a form is drawn */
        layout: Layout
        /** How a form is drawn */
        optionsLayout: Layout
        /** A recorded `event`, as the agent gets it; null: there is none */
        sample: unknown
        /** Cases that our tests replay */
        examples: Array<{
          /** What it shows */
          title: string
          /** The config */
          config: unknown
          /** The `event` that the agent gets; null: it is not started */
          data: unknown
        }>
      }>
      /** Selections of steps, so that a host need not list every tool; `core` first */
      toolSets: Array<{
        /** Id of the set */
        id: string
        /** Display name */
        title: string
        /** When to choose it */
        purpose: string
        /** Ids of its steps */
        steps: string[]
      }>
      /** What API Call may do */
      apiCall: {
        /** Allowed HTTP methods */
        methods: Array<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'>
        /** Prefix of every path */
        under: string
        /** If present, a request must match one of these rules */
        allow?: Array<{
          /** Path pattern: * matches one segment, a trailing /** everything below, a leading /** any number of segments */
          path: string
          /** HTTP methods; absent: all */
          methods?: string[]
        }>
        /** What is refused */
        deny: Array<{
          /** Path pattern: * matches one segment, a trailing /** everything below, a leading /** any number of segments */
          path: string
          /** HTTP methods; absent: all */
          methods?: string[]
          /** Refused only with one of these parameters */
          query?: string[]
          /** Why */
          reason: string
        }>
        /** Known endpoints that the policy allows. Calls to them are checked before they are sent; other endpoints can be called too */
        operations: Array<{
          /** HTTP method */
          method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
          /** Path template; names in braces are parameters */
          path: string
          /** Display name */
          title: string
          /** What it does at the provider */
          effect: 'read' | 'create' | 'update' | 'delete'
          /** As the provider states it; absent: none */
          price?: string
          /** The same as data; null: it is free; absent: not known, or a provider without prices */
          cost?: Cost | null
          /** The body is a list whose items hold the parameters of the body */
          body?: 'list'
          /** Its parameters */
          parameters: Array<{
            /** Its name */
            name: string
            /** either: accepted in the query and in the body */
            in: 'path' | 'query' | 'body' | 'either'
            /** Type of the value, or of each item if `list` is set */
            type: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'any'
            /** Accepts several values */
            list?: true
            /** The provider refuses calls without it */
            required?: true
            /** Values that the provider documents */
            choices?: string[]
          }>
        }>
      }
      /** The wire profile: facts about the provider */
      wire: {
        /** Name of the current profile */
        profile: string
        /** Profiles that can be chosen by name, for all connections or for one */
        profiles: string[]
        /** Guesses about the provider, each with its reason */
        assumed: {
          [field: string]: string
        }
        /** Missing settings, to be set by the operator */
        unset: string[]
      }
    }
    options: never
  }
  /** Find steps by what they do, in plain words */
  findSteps: {
    input: {
      /** What the step has to do, in plain words */
      query?: string | undefined
      integration?: string | undefined
    }
    answer: {
      items: Array<{
        /** Unique in the integration; it never changes */
        id: string
        /** Display name */
        title: string
        /** One of `groups` */
        group: string
        /** One sentence, written for an agent */
        purpose: string
        /** Version of its contract: within a major version inputs gain optional fields only, outputs gain fields only */
        version: string
        /** Present when it has a replacement; it works until the next major version of the integration */
        deprecated: {
          /** Version of the integration */
          since: string
          /** Id of the replacement */
          use: string
        } | null
        /** Shown beside the title */
        badges: Array<'beta' | 'legacy' | 'deprecated' | 'credits' | 'setup' | 'advanced'>
        /** Other words that people search for */
        keywords: string[]
        /** Path of its icon, relative to the manifest; drawn in the text colour */
        icon: string | null
        /** OAuth scopes of the provider that it needs */
        oauthScopes: string[]
        /** The field that chooses the account; null: it needs none */
        connection: Connection | null
        /** Name of its MCP tool, OpenAPI operation and library tool */
        tool: string
        /** What it does at the provider; by-method: depends on the HTTP method */
        effect: 'read' | 'create' | 'update' | 'delete' | 'by-method'
        cost: Cost | null
        /** The price in words, as the wire profile states it */
        price: string | null
        /** What it looks up one of by identifiers, so that a job can do it for every row of a file; null: something else */
        lookup: 'person' | 'company' | null
        /** Present when stored lists of people or companies can be made from its output */
        listSource?: true
        /** Present when it is kept only for agents built with it; offer the other step */
        legacy: {
          /** Id of the step to offer */
          use: string
        } | null
        /** false: settings named in `needs` are missing */
        ready: boolean
        /** Missing settings, to be set by the operator */
        needs: string[]
        /** Why it is not ready, in sentences */
        notReady: string | null
        /** A JSON Schema */
        input: {
          [field: string]: unknown
        }
        /** A JSON Schema */
        form: {
          [field: string]: unknown
        }
        /** A JSON Schema */
        output: {
          [field: string]: unknown
        }
        /** Fields of the output that agents get by default, as dotted paths into objects and list entries; null: all */
        agentFields: string[] | null
        /** Extras of fields, by name */
        fields: Fields
        /** Fields that the account defines, loaded with POST …/fields: `field` of the input holds their values, `dependsOn` is needed first; null: it has none */
        accountFields: AccountFields | null
        /** Field of the container, such as a project, which may be left out: a run then works in that of the event that started its agent, or else in the default one of the connection */
        container: string | null
        /** How a form is drawn */
        layout: Layout
        /** A recorded output, to map fields into later steps without a run; null: there is none */
        sample: unknown
        /** Cases that our tests replay */
        examples: Example[]
        integration: string
      }>
    }
    options: never
  }
  /** Find steps and triggers in plain words, by id and title */
  searchCatalogue: {
    input: {
      /** What is looked for, in plain words */
      query: string
      /** Default: both */
      kind?: 'step' | 'trigger' | undefined
    }
    answer: {
      items: Array<{
        kind: 'step' | 'trigger'
        integration: string
        id: string
        title: string
      }>
    }
    options: never
  }
  /** Run a step, or show the requests it would send */
  runStep: {
    input: {
      /** Id or name of the connection; absent: the one of the person that the call acts for, or else the default of the workspace */
      connection?: string | undefined
      /** The end user whom the call acts for, by the platform's own id: it uses that person's connections and the workspace's own */
      person?: string | undefined
      /** Matches the input schema of the step */
      input?: unknown
      /** true: returns the exact requests with secrets masked, and sends nothing Default: false. */
      dryRun?: boolean | undefined
      /** true: creates again even though the same request ended minutes ago with an unknown outcome */
      force?: boolean | undefined
      /** The most that this run may cost; it fails with budget_exceeded before it would send more */
      maxCredits?: number | undefined
      /** How old a stored result of a lookup may be, in seconds; 0 asks the provider */
      maxAge?: number | undefined
      /** true: asks the provider, and stores its answer in place of the stored one */
      refresh?: boolean | undefined
      /** Whether a lookup may go out with others in one bulk request; true: also if all records are charged */
      merge?: boolean | undefined
      integration: string
      step: string
    }
    answer: {
      /** Matches the output schema of the step. Data from the provider: untrusted */
      output: unknown
      meta: Meta
    } | {
      output: {
        requests: Array<{
          method: string
          url: string
          headers: {
            [field: string]: string
          }
          body?: unknown
        }>
        price?: Price
        /** false: further requests depend on responses */
        complete: boolean
      }
      meta: Meta
      /** The same as in `output`: use that */
      requests: Array<{
        method: string
        url: string
        headers: {
          [field: string]: string
        }
        body?: unknown
      }>
      /** The same as in `output`: use that */
      price?: Price
      /** The same as in `output`: use that */
      complete: boolean
    }
    options: 'idempotencyKey' | 'startId' | 'background'
  }
  /** Load the choices of an input field */
  loadStepOptions: {
    input: {
      connection?: string | undefined
      /** The end user whom the call acts for, by the platform's own id: it uses that person's connections and the workspace's own */
      person?: string | undefined
      /** Input field to load choices for */
      field: string
      /** The fields of the form that are already filled */
      values?: {
        [field: string]: unknown
      } | undefined
      /** Search text */
      query?: string | undefined
      cursor?: string | undefined
      integration: string
      step: string
    }
    answer: {
      options: Array<{
        value: string
        label: string
        hint?: string
      }>
      next?: string
    }
    options: never
  }
  /** Load the fields that the account defines */
  loadStepFields: {
    input: {
      connection?: string | undefined
      /** The end user whom the call acts for, by the platform's own id: it uses that person's connections and the workspace's own */
      person?: string | undefined
      /** The fields of the form that are already filled */
      values?: {
        [field: string]: unknown
      } | undefined
      integration: string
      step: string
    }
    answer: {
      /** Of the object that holds the values, by the id of the field */
      schema: {
        [field: string]: unknown
      }
      /** How a form is drawn */
      layout: Layout
    }
    options: never
  }
  /** Remove stored results of lookups */
  clearCache: {
    input: {
      connection?: string | undefined
      integration?: string | undefined
      /** true: all of them, where neither a connection nor an integration is given */
      all?: 'true' | 'false' | undefined
    }
    answer: {
      removed: number
    }
    options: never
  }
  /** List budgets */
  listBudgets: {
    input: { [field: string]: never }
    answer: {
      items: Item[]
    }
    options: never
  }
  /** Get a budget */
  getBudget: {
    input: {
      id: string
    }
    answer: Item
    options: never
  }
  /** Create a budget */
  createBudget: {
    input: {
      /** Whose runs it counts: all of the tenant, or those of one connection, token or person */
      scope: 'tenant' | 'connection' | 'token' | 'person'
      /** Id of the connection, token or person */
      subject?: string | undefined
      /** Only its runs; absent: those of every integration */
      integration?: string | undefined
      /** No run is sent that might make the period cost more */
      credits: number
      /** It is full again with each; weeks begin on Monday. total: never */
      period: 'day' | 'week' | 'month' | 'total'
      /** IANA name of the time zone in which days, weeks and months begin, such as Australia/Sydney; UTC when absent */
      timeZone?: string | undefined
      /** Share of the credits from which the notification budget.warned is sent; 0.8 when absent; null: never */
      warnAt?: number | null | undefined
    }
    answer: Item
    options: never
  }
  /** Change a budget */
  patchBudget: {
    input: {
      credits?: number | undefined
      /** Share of the credits from which the notification budget.warned is sent; null: never */
      warnAt?: number | null | undefined
      id: string
    }
    answer: Item
    options: never
  }
  /** Remove a budget */
  removeBudget: {
    input: {
      id: string
    }
    answer: undefined
    options: never
  }
  /** List the ledger of credits */
  listLedger: {
    input: {
      /** Default: 50. */
      limit?: number | undefined
      cursor?: string | undefined
      /** Only the rows of this run */
      entry?: string | undefined
      connection?: string | undefined
      token?: string | undefined
      /** Only those of this end user of the platform */
      person?: string | undefined
      integration?: string | undefined
      kind?: 'reserved' | 'settled' | 'released' | 'unknown' | 'resolved' | undefined
      /** true: only rows of unknown outcome that nobody has resolved */
      unresolved?: 'true' | 'false' | undefined
      since?: string | undefined
      until?: string | undefined
    }
    answer: {
      items: Item2[]
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Say what a run of unknown outcome has cost */
  resolveLedgerEntry: {
    input: {
      /** What the provider charged; 0 for nothing */
      credits: number
      id: string
    }
    answer: {
      items: Item2[]
    }
    options: never
  }
  /** List the tools that ask several providers */
  listLookups: {
    input: { [field: string]: never }
    answer: {
      items: Array<{
        id: string
        kind: 'person' | 'company'
        /** Name of the tool */
        name: string
        title: string
        group: string
        purpose: string
        /** Integrations that have a step for it */
        integrations: string[]
        /** JSON Schema of its flat arguments as a tool: identifiers, and the other fields of the body */
        input: {
          [field: string]: unknown
        }
        output: {
          [field: string]: unknown
        }
        example: {
          [field: string]: unknown
        }
      }>
    }
    options: never
  }
  /** Look up a person or company at several providers */
  lookUp: {
    input: {
      /** What is known of the person or company, by name. GET /v1/lookups lists the names; each provider gets those that it takes */
      identifiers: {
        [field: string]: string
      }
      /** Fields to fill. The next provider is asked only while one of them is empty; mobilePhone, directPhone, workEmail and personalEmail are kinds of number and address */
      want: string[]
      /** In the order to ask them; absent: the default connection of every data provider and profile, the cheapest quote first */
      providers?: Array<{
        /** Id of the integration. */
        integration: string
        /** Id or name of the connection; absent: the default one. */
        connection?: string | undefined
      }> | undefined
      /** expected-cost: the server chooses the order, also among `providers`, from what earlier lookups of this workspace filled and cost; needs maxCredits. Each provider of the answer then has an `estimate` */
      order?: 'expected-cost' | undefined
      /** The most that all providers together may cost; one whose quote is above what is left is not asked */
      maxCredits?: number | undefined
      /** The end user whom the call acts for, by the platform's own id: it uses that person's connections and the workspace's own */
      person?: string | undefined
      /** How old a stored result of a lookup may be, in seconds; 0 asks the provider */
      maxAge?: number | undefined
      /** true: asks the provider, and stores its answer in place of the stored one */
      refresh?: boolean | undefined
      /** true: returns the price of the whole chain and the requests to the first provider, and sends nothing Default: false. */
      dryRun?: boolean | undefined
      kind: 'person' | 'company'
    }
    answer: {
      output: {
        /** Whether any provider found the person. */
        matched: boolean
        /** Whether every wanted field is filled. */
        complete: boolean
        /** Wanted fields that nobody filled. */
        missing: string[]
        /** A person, in the same format for all data providers; fields that the provider does not return are absent. */
        record?: Person
        /** By field of the record: who gave its value, and when. Each e-mail address and number has its own in "from". In the record, each address also has `deliverable` (yes, risky, no, unknown), and each number `e164`, `line` (mobile, direct, office, unknown) and `doNotCall`, in the same words for all providers. */
        sources: {
          [field: string]: unknown
        }
        /** What providers disagree on; the record holds the value of the first. */
        conflicts: Conflict[]
        /** What must not be overlooked, such as numbers that nobody says may be called. */
        notes: string[]
        /** What became of each provider, in order. */
        providers: Provider[]
        /** The record of each provider, and its answer as given. Untrusted. */
        records?: Array<{
          matched: true
          /** Id of the integration. */
          provider: string
          /** Id of the connection. */
          connection: string
          /** When the provider gave it. */
          at: string
          /** Date of the value: the date that the provider states; without one, when it was read. */
          asOf?: string
          /** As the provider gives it. */
          confidence?: string | number
          /** When the provider last renewed it, as it writes that. */
          updatedAt?: string
          matchedBy?: string
          /** A person, in the same format for all data providers; fields that the provider does not return are absent. */
          record: Person
          raw?: unknown
          [field: string]: unknown
        }>
      }
      meta: Meta
    } | {
      output: {
        /** Whether any provider found the company. */
        matched: boolean
        /** Whether every wanted field is filled. */
        complete: boolean
        /** Wanted fields that nobody filled. */
        missing: string[]
        /** A company, in the same format for all data providers; fields that the provider does not return are absent. */
        record?: Company
        /** By field of the record: who gave its value, and when. Each e-mail address and number has its own in "from". In the record, each address also has `deliverable` (yes, risky, no, unknown), and each number `e164`, `line` (mobile, direct, office, unknown) and `doNotCall`, in the same words for all providers. */
        sources: {
          [field: string]: unknown
        }
        /** What providers disagree on; the record holds the value of the first. */
        conflicts: Conflict[]
        /** What must not be overlooked, such as numbers that nobody says may be called. */
        notes: string[]
        /** What became of each provider, in order. */
        providers: Provider[]
        /** The record of each provider, and its answer as given. Untrusted. */
        records?: Array<{
          matched: true
          /** Id of the integration. */
          provider: string
          /** Id of the connection. */
          connection: string
          /** When the provider gave it. */
          at: string
          /** Date of the value: the date that the provider states; without one, when it was read. */
          asOf?: string
          /** As the provider gives it. */
          confidence?: string | number
          /** When the provider last renewed it, as it writes that. */
          updatedAt?: string
          matchedBy?: string
          /** A company, in the same format for all data providers; fields that the provider does not return are absent. */
          record: Company
          raw?: unknown
          [field: string]: unknown
        }>
      }
      meta: Meta
    } | {
      output: {
        /** To the provider that is asked first; secrets masked */
        requests: unknown[]
        /** From the minimum of the first provider to the maxima of all of them together */
        price: {
          unit: 'credit'
          /** Minimum and maximum */
          total?: number[]
          [field: string]: unknown
        }
        complete: boolean
        /** With order expected-cost: what the lookup is expected to cost, and how likely it fills what is wanted */
        expected?: {
          credits: number
          hitRate: number
        }
        providers: Array<{
          provider: string
          connection: string | null
          price?: {
            unit: 'credit'
            /** Minimum and maximum */
            total?: number[]
            [field: string]: unknown
          }
          /** What it was expected to fill and to cost, where the order was chosen. */
          estimate?: Estimate
          reason?: string
          [field: string]: unknown
        }>
      }
      meta: Meta
    }
    options: 'idempotencyKey' | 'startId'
  }
  /** Get the saved sample of a step */
  getStepSample: {
    input: {
      integration: string
      step: string
    }
    answer: GetStepSampleAnswer
    options: never
  }
  /** Save a sample of a step */
  saveStepSample: {
    input: {
      /** An input of the step */
      input: {
        [field: string]: unknown
      }
      /** The output of the step for it; any JSON value */
      output: unknown
      integration: string
      step: string
    }
    answer: GetStepSampleAnswer
    options: never
  }
  /** Delete the saved sample of a step */
  deleteStepSample: {
    input: {
      integration: string
      step: string
    }
    answer: undefined
    options: never
  }
  /** List files */
  listFiles: {
    input: ListFilesInput
    answer: {
      items: Item3[]
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Download a file */
  downloadFile: {
    input: {
      id: string
    }
    answer: Response
    options: never
  }
  /** Get the metadata of a file */
  getFile: {
    input: {
      id: string
    }
    answer: Item3
    options: never
  }
  /** Delete a file */
  deleteFile: {
    input: {
      id: string
    }
    answer: undefined
    options: never
  }
  /** Store a file */
  createFile: {
    input: {
      /** As in the query */
      expiresInHours?: number | undefined
      /** As in the query */
      person?: string | undefined
      /** Name of the file; with url, absent: the name that the address gives */
      name?: string | undefined
      /** The content, at most 1 MB */
      base64?: string | undefined
      /** Counts only where the content is ambiguous */
      mediaType?: string | undefined
      /** A public https address that the server reads the content from. Redirects to another host are not followed */
      url?: string | undefined
    }
    answer: Item3
    options: 'content' | 'idempotencyKey'
  }
  /** Look up every row of a file or list */
  createJob: {
    input: {
      /** Id of a stored file: CSV with a header, or JSONL. Either file or list is required */
      file?: string | undefined
      /** Id or name of a stored list, whose rows are looked up */
      list?: string | undefined
      /** With list: looks up only rows that have not been checked for this many days, and stores the results in the list */
      olderThanDays?: number | undefined
      /** What a row names; person when absent */
      kind?: 'person' | 'company' | undefined
      /** Id of the integration that looks it up; may be absent where only one can */
      integration?: string | undefined
      /** Id or name of the connection; the default one when absent */
      connection?: string | undefined
      /** The end user of the platform whom it acts for: it uses their connection, or one of the workspace */
      person?: string | undefined
      /** Column of the file by field of the step, such as { "email": "E-mail" }; "name[2]" is the second column of a name. Absent: by the names of the columns */
      map?: {
        [field: string]: string
      } | undefined
      /** Values of further fields, the same for every row, such as { "country": "NZ" } */
      values?: {
        [field: string]: unknown
      } | undefined
      /** Fields of a found record to write, such as ["email", "email.deliverable", "phones.0.number"]; the usual fields when absent */
      columns?: string[] | undefined
      /** Found out when absent */
      format?: 'csv' | 'jsonl' | undefined
      /** Of CSV; found out when absent */
      delimiter?: string | undefined
      /** How old a stored result of a lookup may be, in seconds; 0 asks the provider */
      maxAge?: number | undefined
      /** true: asks the provider, and stores its answer in place of the stored one */
      refresh?: boolean | undefined
      /** Looks up and pays this many rows, 1 to 100, before it waits for agreement */
      sample?: number | undefined
      /** The most that the job may spend, in credits of the provider */
      maxCredits?: number | undefined
      /** true: agrees to what its rows cost, without a budget */
      confirm?: boolean | undefined
    }
    answer: CreateJobAnswer
    options: 'idempotencyKey'
  }
  /** List jobs */
  listJobs: {
    input: ListJobsInput
    answer: {
      items: CreateJobAnswer[]
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Get a job */
  getJob: {
    input: {
      id: string
    }
    answer: CreateJobAnswer
    options: never
  }
  /** Preview the first rows of a job */
  previewJob: {
    input: {
      id: string
    }
    answer: {
      /** Of the file */
      columns: string[]
      /** Column by field */
      map: {
        [field: string]: string
      }
      rows: Array<{
        /** 1 is the first one below the header */
        row: number
        /** What it would be looked up by */
        input: {
          [field: string]: unknown
        }
        price: {
          least: number
          most: number
        } | null
        /** Why it cannot be looked up */
        problem: string | null
      }>
      /** What the job is expected to find and to cost, estimated from earlier lookups; null until its file has been read */
      expected: Expected | null
      /** The same for lookups at all connected providers, in the order by expected cost; null when only one is connected */
      combined: Expected | null
    }
    options: never
  }
  /** Go on with a job */
  resumeJob: {
    input: {
      /** The most that the job may spend, in credits of the provider */
      maxCredits?: number | undefined
      /** true: agrees to what its rows cost, without a budget */
      confirm?: boolean | undefined
      id: string
    }
    answer: CreateJobAnswer
    options: never
  }
  /** Pause a job */
  pauseJob: {
    input: {
      id: string
    }
    answer: CreateJobAnswer
    options: never
  }
  /** Cancel a job */
  cancelJob: {
    input: {
      id: string
    }
    answer: CreateJobAnswer
    options: never
  }
  /** Store a list of people or companies */
  createPeopleList: {
    input: {
      /** Name by which jobs use it; unique among the lists of its owner */
      name: string
      /** What a row names; person when absent */
      kind?: 'person' | 'company' | undefined
      /** Values by column, such as [{ "email": "ada@example.com" }]; nested values become columns such as phones.0.number */
      rows?: Array<{
        [field: string]: unknown
      }> | undefined
      /** Id of a stored file: CSV with a header, or JSONL */
      file?: string | undefined
      /** Id of a run of a search whose output is stored */
      run?: string | undefined
      /** A step that is run now, page by page, and whose output names people or companies */
      step?: {
        integration: string
        /** Id of a step whose manifest has `listSource` */
        step: string
        /** Id or name; the default one when absent */
        connection?: string | undefined
        /** Input of the step */
        input: {
          [field: string]: unknown
        }
      } | undefined
      /** Format of the file; detected when absent */
      format?: 'csv' | 'jsonl' | undefined
      /** Delimiter of a CSV file; detected when absent */
      delimiter?: string | undefined
      /** The end user of the platform whom it is for; absent: nobody */
      person?: string | undefined
      /** How long it is stored, 1 to 3,650 days; 365 when absent */
      expiresInDays?: number | undefined
    }
    answer: {
      id: string
      name: string
      kind: 'person' | 'company'
      columns: string[]
      /** How many rows it has */
      rows: number
      /** Where its rows came from */
      source: 'rows' | 'file' | 'run' | 'step'
      /** The end user it is of or for; null: nobody */
      person: string | null
      /** RFC 3339 */
      createdAt: string
      /** When it is deleted */
      expiresAt: string
      /** How many rows were left out because they name somebody on the suppression list */
      suppressed: number
    }
    options: 'idempotencyKey'
  }
  /** List the lists */
  listPeopleLists: {
    input: ListFilesInput
    answer: {
      items: Array<{
        id: string
        name: string
        kind: 'person' | 'company'
        columns: string[]
        /** How many rows it has */
        rows: number
        /** Where its rows came from */
        source: 'rows' | 'file' | 'run' | 'step'
        /** The end user it is of or for; null: nobody */
        person: string | null
        /** RFC 3339 */
        createdAt: string
        /** When it is deleted */
        expiresAt: string
      }>
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Get a list and its rows */
  getPeopleList: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      id: string
    }
    answer: {
      id: string
      name: string
      kind: 'person' | 'company'
      columns: string[]
      /** How many rows it has */
      rows: number
      /** Where its rows came from */
      source: 'rows' | 'file' | 'run' | 'step'
      /** The end user it is of or for; null: nobody */
      person: string | null
      /** RFC 3339 */
      createdAt: string
      /** When it is deleted */
      expiresAt: string
      /** Rows in order, without those that name somebody on the suppression list */
      items: Array<{
        /** Number of the row, from 1 */
        row: number
        /** Texts by column */
        values: {
          [field: string]: string
        }
        /** When a provider was last asked about it; null: never */
        checkedAt: string | null
      }>
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Delete a list */
  deletePeopleList: {
    input: {
      id: string
    }
    answer: undefined
    options: never
  }
  /** List held runs */
  listApprovals: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      /** Only those in this state */
      state?: 'open' | 'approved' | 'sending' | 'done' | 'denied' | 'expired' | undefined
      /** Only those of this end user of the platform */
      person?: string | undefined
    }
    answer: {
      items: Array<{
        id: string
        /** open: waits for a decision; approved: will be sent; sending: is being sent; done: was sent, see `code` for a failure; denied: nothing was sent; expired: nothing was sent, because nobody decided in time or it may not be sent any more */
        state: 'open' | 'approved' | 'sending' | 'done' | 'denied' | 'expired'
        /** Who wants to do what; null: its content was removed, or is too long to be read for a list */
        summary: Summary | null
        /** What waits: a run of a step, a lookup at several providers, or a job */
        kind: 'step' | 'lookup' | 'job'
        integration: string
        step: string
        connection: string | null
        effect: 'read' | 'create' | 'update' | 'delete'
        /** The most that it may cost, in credits; null: it costs nothing, or nobody knows (see `price`) */
        credits: number | null
        /** The token or grant that made the call */
        token: string | null
        /** Names by id, of the tokens, the connection and the rule that it mentions; those that are gone are absent */
        names: {
          [field: string]: string
        }
        /** The end user it is of or for; null: nobody */
        person: string | null
        /** The agent start that the call belongs to */
        startId: string | null
        /** Id of the rule that holds it */
        rule: string
        /** Who decides */
        by: 'caller' | 'approvers' | {
          people?: string[]
          tokens?: string[]
        }
        /** Whether this token may decide about it now */
        mayDecide: boolean
        /** credits: up to `credits`; unknown: nobody knows what it costs, and nothing limits it */
        price: 'free' | 'credits' | 'unknown'
        /** 1 when it is first held, and one more each time that what would be sent has changed; 0: its content was removed, or is too long to be read for a list */
        version: number
        /** The run that sent it */
        runId: string | null
        /** The failure that it ended with */
        code: 'invalid_input' | 'unauthenticated' | 'bad_signature' | 'budget_exceeded' | 'not_allowed' | 'approval_denied' | 'not_found' | 'conflict' | 'approval_expired' | 'too_large' | 'rejected' | 'not_connected' | 'access_denied' | 'credits_exhausted' | 'approval_pending' | 'outcome_unknown' | 'rate_limited' | 'suppressed' | 'cancelled' | 'internal' | 'wire_unset' | 'provider_failed' | 'bad_reply' | 'unavailable' | 'unreachable' | null
        /** Whether it ended so that nobody knows if it was carried out */
        mayHaveHappened: boolean
        decidedBy: string | null
        decidedAt: string | null
        /** RFC 3339 */
        createdAt: string
        /** Until when it can be decided; once it is approved, until when it can be sent */
        expiresAt: string
        endedAt: string | null
      }>
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Get a held run */
  getApproval: {
    input: {
      id: string
    }
    answer: GetApprovalAnswer
    options: never
  }
  /** Approve a held run */
  approveRun: {
    input: {
      /** The version that was looked at, by default 1: if what would be sent has changed since, this is refused with `conflict` */
      version?: number | undefined
      /** A smaller limit than the most that it may cost, in credits */
      maxCredits?: number | undefined
      id: string
    }
    answer: GetApprovalAnswer
    options: never
  }
  /** Deny a held run */
  denyRun: {
    input: {
      /** Told to whoever made the call */
      reason?: string | undefined
      id: string
    }
    answer: GetApprovalAnswer
    options: never
  }
  /** List approval rules */
  listApprovalRules: {
    input: ListJobsInput
    answer: {
      items: Item4[]
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Create an approval rule */
  createApprovalRule: {
    input: {
      /** A name to recognise it by */
      name?: string | null | undefined
      /** Which runs are held: those that meet every condition. Without conditions: every run that changes or costs something Default: {}. */
      when?: When | undefined
      /** Who decides. approvers: every token with the scope `approvals` or `admin`, except whoever made the call; caller: these, and whoever made the call; people, tokens: only those named, who need the scope too Default: "approvers". */
      by?: 'caller' | 'approvers' | {
        people?: string[] | undefined
        tokens?: string[] | undefined
      } | undefined
      /** How long a run waits for a decision, in minutes Default: 1440. */
      expiresMinutes?: number | undefined
    }
    answer: Item4
    options: never
  }
  /** Get an approval rule */
  getApprovalRule: {
    input: {
      id: string
    }
    answer: Item4
    options: never
  }
  /** Change an approval rule */
  changeApprovalRule: {
    input: {
      /** A name to recognise it by */
      name?: string | null | undefined
      /** Which runs are held: those that meet every condition. Without conditions: every run that changes or costs something */
      when?: When | undefined
      /** Who decides. approvers: every token with the scope `approvals` or `admin`, except whoever made the call; caller: these, and whoever made the call; people, tokens: only those named, who need the scope too */
      by?: 'caller' | 'approvers' | {
        people?: string[] | undefined
        tokens?: string[] | undefined
      } | undefined
      /** How long a run waits for a decision, in minutes */
      expiresMinutes?: number | undefined
      id: string
    }
    answer: Item4
    options: never
  }
  /** Delete an approval rule */
  deleteApprovalRule: {
    input: {
      id: string
    }
    answer: undefined
    options: never
  }
  /** Run a step as a tool of an agent */
  callTool: {
    input: {
      /** Id or name of the connection; absent: the one of the person that the call acts for, or else the default of the workspace */
      connection?: string | undefined
      tool: string
      [field: string]: unknown
    }
    answer: unknown
    options: 'idempotencyKey' | 'startId' | 'person'
  }
  /** Get the tools of an integration as an OpenAPI document */
  getAgentOpenApi: {
    input: {
      /** Tool set; absent: core */
      set?: string | undefined
      /** Only these tools, by name, with commas between them; instead of a set */
      tools?: string | undefined
      integration: string
    }
    answer: {
      openapi: string
      [field: string]: unknown
    }
    options: never
  }
  /** List connections */
  listConnections: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      integration?: string | undefined
      externalId?: string | undefined
      /** Only those of this end user of the platform */
      person?: string | undefined
      /** name:value; repeat it to narrow further */
      label?: string | string[] | undefined
    }
    answer: {
      items: Item5[]
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Connect an account by its secrets */
  createConnection: {
    input: {
      integration: string
      /** Connection type of the integration */
      type: string
      /** Wire profile, one of `wire.profiles` of the manifest; absent or null: the one the operator picks */
      profile?: string | null | undefined
      /** Absent: the name of the account at the provider */
      name?: string | undefined
      /** Match the secrets schema of the connection type. They are never returned */
      secrets?: {
        [field: string]: unknown
      } | undefined
      policy?: Policy | undefined
      /** The platform's own id of the connection */
      externalId?: string | undefined
      /** The end user whose account it is; absent: the workspace's, or that of the person the token acts for */
      person?: string | undefined
      /** The platform's own labels: text values by name */
      labels?: {
        [field: string]: string
      } | undefined
      isDefault?: boolean | undefined
    }
    answer: Item5
    options: never
  }
  /** Start connecting an account in the browser of its owner */
  authorizeConnection: {
    input: {
      /** Required for a new connection */
      integration?: string | undefined
      /** Connection type; absent: the recommended type that is configured */
      type?: string | undefined
      /** Id of a connection to reconnect, or its name together with integration */
      connection?: string | undefined
      /** Absent: the name of the account at the provider */
      name?: string | undefined
      /** Wire profile to preselect on the page, where the integration has several */
      profile?: string | undefined
      /** In place of `integration`: the person who opens the link chooses one of these */
      integrations?: string[] | undefined
      /** Connection types that may be used; absent: those that are configured */
      types?: string[] | undefined
      /** How long the link may be opened; absent: ten minutes */
      expiresInMs?: number | undefined
      /** Where to continue afterwards: a path on this server, or an address on an origin the operator has listed */
      returnTo?: string | undefined
      /** Language of the page, such as "de"; absent: that of the browser. The page exists in English and German; any other language gives English */
      locale?: string | undefined
      externalId?: string | undefined
      /** The end user who connects their account; absent: it becomes the workspace's */
      person?: string | undefined
      /** The platform's own labels: text values by name */
      labels?: {
        [field: string]: string
      } | undefined
    }
    answer: {
      url: string
      state: string
      /** RFC 3339 */
      expiresAt: string
    }
    options: never
  }
  /** Get a connection */
  getConnection: {
    input: {
      id: string
    }
    answer: Item5
    options: never
  }
  /** Change a connection: name, policy, labels, state or secrets */
  changeConnection: {
    input: {
      name?: string | undefined
      /** Another wire profile; null: the one the operator picks. Needs `secrets`, since they then go to another address */
      profile?: string | null | undefined
      /** Match the secrets schema of the connection type. They are never returned */
      secrets?: {
        [field: string]: unknown
      } | undefined
      policy?: Policy | null | undefined
      /** The platform's own labels: text values by name */
      labels?: {
        [field: string]: string
      } | undefined
      externalId?: string | null | undefined
      /** Whose account it is from now on; null: the workspace's */
      person?: string | null | undefined
      /** Makes this the default connection of its integration: of its person, or of the workspace */
      isDefault?: true | undefined
      /** The container, such as a project, for steps and triggers that are given none; as their fields take it. It is looked up at the provider. null: none */
      defaultContainer?: string | null | undefined
      disabled?: boolean | undefined
      /** Deletes the secrets here, and revokes them at the provider where it supports that. The connection can be reconnected */
      revoked?: true | undefined
      id: string
    }
    answer: Item5
    options: never
  }
  /** Remove a connection and its secrets */
  removeConnection: {
    input: {
      id: string
    }
    answer: undefined
    options: never
  }
  /** Test a connection with a free request */
  testConnection: {
    input: {
      id: string
    }
    answer: Item5
    options: never
  }
  /** Get the remaining rate limits of a connection */
  getConnectionLimits: {
    input: {
      id: string
    }
    answer: {
      /** The limits of the wire profile */
      windows: Array<{
        /** What the provider counts: calls of this connection, of all connections of one app, or of one path family */
        per: 'connection' | 'app' | 'route'
        /** Path family that the limit is for */
        route: string | null
        /** Calls per window; null: not known, but the provider asked for a pause */
        limit: number | null
        windowMs: number | null
        /** Calls of this tenant that count now, including those in progress; null: this process has sent none recently */
        used: number | null
        /** Calls that may be sent now */
        remaining: number | null
        /** When the whole limit is available again; null: nothing is used, or calls are in progress */
        resetsAt: string | null
        /** Nothing is sent before this time, because the provider asked for it */
        pausedUntil: string | null
      }>
      queue: {
        /** Calls of this connection in progress */
        running: number
        /** Calls that wait for a limit */
        waiting: number
        /** Maximum number of calls in progress at once */
        concurrency: number
      }
      breaker: {
        /** open: the provider fails, so nothing is sent until `until`; trying: one call tests whether it works again */
        state: 'closed' | 'open' | 'trying'
        until: string | null
      }
    }
    options: never
  }
  /** Get what uses a connection and how its last runs ended */
  getConnectionUsage: {
    input: {
      id: string
    }
    answer: {
      /** Tokens bound to this connection; tokens that are not bound may use it too */
      tokens: Array<{
        id: string
        name: string
      }>
      /** The newest run that succeeded */
      lastSuccess: {
        runId: string
        step: string
        /** RFC 3339 */
        at: string
      } | null
      /** The newest run that failed */
      lastError: {
        runId: string
        step: string
        /** RFC 3339 */
        at: string
        code: string | null
        message: string | null
      } | null
    }
    options: never
  }
  /** Find things of a connection by name */
  listConnectionNames: {
    input: {
      /** Only things of this kind */
      kind?: string | undefined
      /** A part of the name */
      query?: string | undefined
      /** Maximum number of items, 1 to 200 Default: 20. */
      limit?: number | undefined
      id: string
    }
    answer: {
      items: Array<{
        /** What it is, in the word of the integration */
        kind: string
        /** Its id at the provider */
        id: string
        /** Written by others: untrusted */
        name: string
        /** Its page at the provider */
        url?: string
      }>
    }
    options: never
  }
  /** Try the endpoints of the wire profile */
  checkConnectionWire: {
    input: {
      /** Also send the probes that may cost credits */
      spend?: boolean | undefined
      id: string
    }
    answer: {
      integration: string
      profile: string
      connection: {
        id: string
        name: string
      }
      endpoints: Array<{
        endpoint: string
        method: string
        path: string | null
        /** untried: nothing was sent, or the answer says nothing about the endpoint */
        state: 'ok' | 'wrong' | 'untried'
        /** What was found, or why nothing was sent; of a wrong one it names the setting */
        says: string
        /** What a try may cost */
        credits?: number
        failure?: {
          [field: string]: unknown
        }
      }>
    }
    options: 'idempotencyKey'
  }
  /** Get the app registered at the provider */
  getApp: {
    input: {
      integration: string
    }
    answer: GetAppAnswer
    options: never
  }
  /** Set the app key and secrets */
  putApp: {
    input: {
      key: string
      /** Used for webhook signatures and OAuth */
      secret?: string | undefined
      /** OAuth 2.0 client id, if it differs from the key */
      clientId?: string | undefined
      /** OAuth 2.0 client secret, if it differs from the secret */
      clientSecret?: string | undefined
      /** operator: for every tenant without an app of its own; needs the scope admin */
      owner?: 'operator' | 'tenant' | undefined
      /** false: deliveries signed with the previous secret are refused at once */
      keepPrevious?: boolean | undefined
      integration: string
    }
    answer: GetAppAnswer
    options: never
  }
  /** List the people whom calls act for */
  listPeople: {
    input: ListJobsInput
    answer: {
      items: Item6[]
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Get a person */
  getPerson: {
    input: {
      id: string
    }
    answer: Item6
    options: never
  }
  /** List the programs that people let in */
  listGrants: {
    input: ListFilesInput
    answer: {
      items: Item7[]
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Get a grant */
  getGrant: {
    input: {
      id: string
    }
    answer: Item7
    options: never
  }
  /** Narrow a grant */
  narrowGrant: {
    input: {
      /** The scopes that it keeps; absent: unchanged */
      scopes?: string[] | undefined
      /** The steps that it keeps; absent: unchanged */
      steps?: string[] | undefined
      /** The connections that it keeps; absent: unchanged */
      connections?: string[] | undefined
      /** Its new limit, in credits; at most the present one */
      monthlyCredits?: number | undefined
      id: string
    }
    answer: Item7
    options: never
  }
  /** End a grant */
  endGrant: {
    input: {
      id: string
    }
    answer: undefined
    options: never
  }
  /** Load the choices of a trigger's config field */
  loadTriggerOptions: {
    input: {
      connection?: string | undefined
      /** The end user whom the call acts for, by the platform's own id: it uses that person's connections and the workspace's own */
      person?: string | undefined
      /** Input field to load choices for */
      field: string
      /** The fields of the form that are already filled */
      values?: {
        [field: string]: unknown
      } | undefined
      /** Search text */
      query?: string | undefined
      cursor?: string | undefined
      integration: string
      trigger: string
    }
    answer: {
      options: Array<{
        value: string
        label: string
        hint?: string
      }>
      next?: string
    }
    options: never
  }
  /** List subscriptions */
  listSubscriptions: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      integration?: string | undefined
      trigger?: string | undefined
      connection?: string | undefined
      state?: 'pending' | 'active' | 'failing' | 'paused' | 'paused_auth' | 'paused_model' | 'paused_agent' | undefined
      /** Only those of this end user of the platform */
      person?: string | undefined
      /** The platform's own id of the subscription */
      externalId?: string | undefined
      /** A label of the subscription, as name:value; repeat it to narrow further */
      label?: string | string[] | undefined
    }
    answer: {
      items: Item8[]
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Attach a trigger to an agent */
  createSubscription: {
    input: {
      integration: string
      /** Id of the trigger, as in the manifest */
      trigger: string
      /** Id or name of the connection; absent: the one of the person that the call acts for, or else the default of the workspace */
      connection?: string | undefined
      /** Matches the config schema of the trigger; load the choices of its fields from the trigger's options route */
      config?: {
        [field: string]: unknown
      } | undefined
      agent?: Agent2 | undefined
      options?: Options2 | undefined
      /** The platform's own id */
      externalId?: string | undefined
      /** The end user whom the call acts for, by the platform's own id: it uses that person's connections and the workspace's own */
      person?: string | undefined
      /** The platform's own labels: text values by name */
      labels?: {
        [field: string]: string
      } | undefined
    }
    answer: Item8
    options: 'idempotencyKey'
  }
  /** Get a subscription */
  getSubscription: {
    input: {
      id: string
    }
    answer: {
      id: string
      integration: string
      trigger: string
      connection: string
      config: {
        [field: string]: unknown
      }
      /** What it waits for; null where the integration has no words for it */
      summary: Summary | null
      agent: Agent
      options: Options
      /** How its events are received */
      delivery: 'webhook' | 'poll'
      /** failing: its agent did not take the last start; events still start it, and it is active again with the first start that is taken. paused_auth: reconnect the account. paused_model: what it watches was closed or deleted, or can no longer be read. paused_agent: its agent failed for days; starts wait until it is resumed */
      state: 'pending' | 'active' | 'failing' | 'paused' | 'paused_auth' | 'paused_model' | 'paused_agent'
      stateReason: string | null
      /** RFC 3339 */
      stateAt: string
      /** Events before this time start nothing */
      startsFrom: string
      /** How many of the events that happen during downtime can be recovered afterwards */
      recoverable: 'all' | 'some' | 'none' | null
      caveat: string | null
      /** Why events of a type cannot be recovered, by type. Absent: no reason is stated */
      whyWebhookOnly?: {
        [field: string]: string
      }
      externalId: string | null
      /** The end user it is of or for; null: nobody */
      person: string | null
      labels: {
        [field: string]: string
      }
      /** RFC 3339 */
      createdAt: string
      /** RFC 3339 */
      updatedAt: string
      /** Our webhooks at the provider that deliver its events; empty where they are polled */
      hooks: Hook[]
      /** When the newest event of its connection was received */
      lastEventAt: string | null
      /** When its newest start was created, tests included */
      lastStartAt: string | null
      /** Gaps of what it watches since `startsFrom`, among the newest 100 of its connection; GET /v1/gaps lists them */
      gaps: number
    }
    options: never
  }
  /** Change, pause or resume a subscription */
  changeSubscription: {
    input: {
      /** The whole config; anything newly watched is watched from now on */
      config?: {
        [field: string]: unknown
      } | undefined
      agent?: Agent2 | undefined
      /** All options; delivery and startFrom can only be set on creation */
      options?: Options2 | undefined
      externalId?: string | null | undefined
      /** The platform's own labels: text values by name */
      labels?: {
        [field: string]: string
      } | undefined
      /** true: events from now on start nothing. false: resumes from now on */
      paused?: boolean | undefined
      /** Moves it to the trigger that replaces its deprecated one, with the config that does the same */
      upgrade?: true | undefined
      id: string
    }
    answer: Item8
    options: never
  }
  /** Remove a subscription */
  removeSubscription: {
    input: {
      id: string
    }
    answer: undefined
    options: never
  }
  /** Pause a subscription */
  pauseSubscription: {
    input: {
      id: string
    }
    answer: Item8
    options: never
  }
  /** Resume a subscription */
  resumeSubscription: {
    input: {
      id: string
    }
    answer: Item8
    options: never
  }
  /** Rotate the secret that signs the starts of a subscription */
  rotateSubscriptionSecret: {
    input: {
      /** "whsec_" and 24 to 64 bytes in base64; absent: one is created and returned only in this response */
      secret?: string | undefined
      /** How long signatures of the previous secret are sent too, in ms; absent: a day */
      overlapMs?: number | undefined
      id: string
    }
    answer: Item8
    options: never
  }
  /** Start the agent once with sample data */
  testSubscription: {
    input: {
      id: string
    }
    answer: {
      /** Start key */
      start: string
      /** Where the sample comes from */
      from: 'history' | 'example'
    }
    options: never
  }
  /** Recover missed events now */
  recoverSubscription: {
    input: {
      id: string
    }
    answer: {
      events: number
      starts: number
      gaps: number
    }
    options: never
  }
  /** Get a sample of what the agent would receive */
  sampleSubscription: {
    input: {
      id: string
    }
    answer: {
      /** history: the newest matching event; example: the example of the trigger */
      from: 'history' | 'example'
      /** What the agent would receive */
      start: {
        [field: string]: unknown
      }
    }
    options: never
  }
  /** List the agents that subscriptions start */
  listAgents: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      /** Only the agent with this `name` */
      agent?: string | undefined
      integration?: string | undefined
      connection?: string | undefined
      /** Only those of this end user of the platform */
      person?: string | undefined
      /** The platform's own id of the subscription */
      externalId?: string | undefined
      /** A label of the subscription, as name:value; repeat it to narrow further */
      label?: string | string[] | undefined
    }
    answer: {
      items: Array<{
        /** Tells agents apart; the filter `agent` takes it. Your own id for the agent, otherwise its address, otherwise "onStart" */
        name: string
        /** Your own id for it */
        id: string | null
        /** The address of its newest subscription; null: the onStart callback */
        url: string | null
        /** well: it took the last start. failing: it refuses the starts of a subscription. off: it failed for days, and starts of a subscription wait until that is resumed. paused: none of its subscriptions waits for events. untried: it was never called */
        state: 'well' | 'failing' | 'off' | 'paused' | 'untried'
        /** Why it is failing, off or paused */
        reason: string | null
        /** Since when it is failing, off or paused */
        since: string | null
        /** When its newest start was created, tests included */
        lastStartAt: string | null
        lastAnswer: LastAnswer | null
        /** Its last answers, newest first, at most 10 */
        answers: LastAnswer[]
        /** Starts of the last 24 hours by state, without tests, counted among the newest 100 of each subscription */
        starts: {
          [field: string]: number
        }
        /** What starts it, newest first, at most 20 */
        subscriptions: Item8[]
        /** How many more subscriptions start it */
        moreSubscriptions: number
      }>
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Test the address of an agent */
  testAgent: {
    input: {
      /** The address to test, as for attaching; absent: that of `subscription` */
      url?: string | undefined
      /** Signs the call to `url`; absent: a secret that the agent does not know is made for the test */
      secret?: string | undefined
      /** Tests the address of this subscription, with its secret */
      subscription?: string | undefined
    }
    answer: {
      /** `webhook-id` of the call */
      id: string
      /** Whether the agent would take a start: it answered 2xx or 409 */
      ok: boolean
      /** null: there was no answer */
      status: number | null
      /** What a start would store of the answer, or why there was none */
      message: string | null
      /** What to do; null if it is `ok` */
      remedy: string | null
      /** Whose secret signed the call: of the subscription, the given one, or one made for this test */
      signedWith: 'subscription' | 'given' | 'made'
      durationMs: number
    }
    options: never
  }
  /** List our webhooks at providers */
  listHooks: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      connection?: string | undefined
      integration?: string | undefined
      /** The platform's own id of the connection */
      externalId?: string | undefined
      /** A label of the connection, as name:value; repeat it to narrow further */
      label?: string | string[] | undefined
    }
    answer: {
      items: Hook[]
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Remove all our webhooks from providers, before uninstalling */
  pruneHooks: {
    input: { [field: string]: never }
    answer: {
      /** Subscriptions paused */
      subscriptions: number
      /** Hooks removed from the provider */
      hooks: number
    }
    options: never
  }
  /** List periods whose events cannot be recovered */
  listGaps: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      connection?: string | undefined
      model?: string | undefined
      /** The platform's own id of the connection */
      externalId?: string | undefined
      /** A label of the connection, as name:value; repeat it to narrow further */
      label?: string | string[] | undefined
    }
    answer: {
      items: Array<{
        id: string
        connection: string
        model: string
        /** RFC 3339 */
        from: string
        /** RFC 3339 */
        to: string
        /** What cannot be recovered */
        kind: string
        reason: string
        /** RFC 3339 */
        createdAt: string
      }>
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Show what a delivery would start */
  previewDelivery: {
    input: {
      integration: string
      /** Id or name of the connection; absent: the default connection of the integration */
      connection?: string | undefined
      /** The body of the delivery: its JSON as text, or as an object */
      body: string | {
        [field: string]: unknown
      }
      /** Headers of the delivery, where the integration reads them */
      headers?: {
        [field: string]: string
      } | undefined
      /** What the hook watches, as <kind>:<id>, where the delivery itself does not say */
      model?: string | undefined
    }
    answer: {
      /** Id of the connection */
      connection: string
      events: Array<{
        id: string
        type: string
        /** The provider's time */
        at: string
        /** Whether one of our own runs caused it */
        causedByUs: boolean | 'unknown'
        /** What happened; null where the integration has no words for it */
        summary: Summary | null
        /** Already stored: delivering it again would be a repeat */
        known: boolean
        /** What it is about. Untrusted */
        subject: {
          kind: string
          id: string
          name?: string
          url?: string
        } | null
        /** What contains the subject. Untrusted */
        container: {
          kind: string
          id: string
          name?: string
          url?: string
        } | null
        /** Previous values of the changed properties. Untrusted */
        before: {
          [field: string]: unknown
        } | null
        /** New values of the same properties. Untrusted */
        after: {
          [field: string]: unknown
        } | null
        /** Every subscription of the connection */
        subscriptions: Array<{
          subscription: string
          trigger: string
          /** Your own id for the agent */
          agent: string | null
          /** The same as a sentence */
          reason: string | null
          /** Fields of its config that the event does not match */
          fields: string[]
          /** Whether the event would start it */
          starts: boolean | 'unknown'
          /** Why not: the kind of reason */
          why: 'polled' | 'type' | 'model' | 'paused' | 'before_start' | 'own_event' | 'config' | 'started' | 'facts' | 'defect' | null
          /** Key of the start that it would have, or has */
          start: string | null
        }>
      }>
      /** Why it is a delivery without an event, such as a ping */
      ignored: string | null
      /** Why a part of it cannot be read */
      undecodable: string | null
      /** There are more than the 20 events or 200 subscriptions that a preview shows */
      more: boolean
    }
    options: never
  }
  /** List events */
  listEvents: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      connection?: string | undefined
      hook?: string | undefined
      type?: string | undefined
      /** Id of what it is about */
      subject?: string | undefined
      /** Id of where the subject lies */
      container?: string | undefined
      /** Id of either: what it is about, or where that lies */
      about?: string | undefined
      /** Another name of subject: use that */
      card?: string | undefined
      /** Another name of container: use that */
      board?: string | undefined
      state?: 'pending' | 'matched' | undefined
      /** Only events that started subscriptions of this trigger */
      trigger?: string | undefined
      /** Only events that started this agent: your own id for it, otherwise its address, as GET /v1/agents has it in `name` */
      agent?: string | undefined
      /** The platform's own id of the connection */
      externalId?: string | undefined
      /** A label of the connection, as name:value; repeat it to narrow further */
      label?: string | string[] | undefined
    }
    answer: {
      items: Array<{
        id: string
        connection: string
        integration: string
        /** The hook it was delivered to */
        hook: string | null
        type: string
        /** The provider's time */
        at: string
        /** How it was received */
        via: 'webhook' | 'poll' | 'recovery'
        /** Whether one of our own runs caused it */
        causedByUs: boolean | 'unknown'
        /** Our run that caused it */
        runId: string | null
        /** Number of our starts before it in the chain */
        depth: number
        /** Id of what it is about */
        subject: string | null
        /** Id of where the subject lies */
        container: string | null
        /** Another name of subject: use that */
        card?: string | null
        /** Another name of container: use that */
        board?: string | null
        /** What the subject is called; null while nobody has named it. Untrusted */
        subjectName: string | null
        /** What the container is called; null while nobody has named it. Untrusted */
        containerName: string | null
        /** What happened; null where the integration has no words for it, or once retention has removed it */
        summary: Summary | null
        /** pending: facts needed for matching are still being fetched */
        state: 'pending' | 'matched'
        /** When it was received */
        createdAt: string
        /** What it started, oldest first, at most 2000 starts in a page; absent in the stream, which sends starts by themselves */
        starts?: Array<{
          id: string
          subscription: string
          state: 'pending' | 'leased' | 'done' | 'dead' | 'merged' | 'paused' | 'missed' | 'cancelled'
        }>
        [field: string]: unknown
      }>
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** List deliveries that could not be decoded */
  listUndecodable: {
    input: ListJobsInput
    answer: {
      items: Array<{
        id: string
        integration: string
        connection: string
        hook: string
        reason: string
        /** RFC 3339 */
        createdAt: string
        /** The first 2000 characters; null once retention has removed it */
        text: string | null
      }>
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Get an event with its payload and starts */
  getEvent: {
    input: GetEventInput
    answer: {
      id: string
      connection: string
      integration: string
      /** The hook it was delivered to */
      hook: string | null
      type: string
      /** The provider's time */
      at: string
      /** How it was received */
      via: 'webhook' | 'poll' | 'recovery'
      /** Whether one of our own runs caused it */
      causedByUs: boolean | 'unknown'
      /** Our run that caused it */
      runId: string | null
      /** Number of our starts before it in the chain */
      depth: number
      /** Id of what it is about */
      subject: string | null
      /** Id of where the subject lies */
      container: string | null
      /** Another name of subject: use that */
      card?: string | null
      /** Another name of container: use that */
      board?: string | null
      /** What the subject is called; null while nobody has named it. Untrusted */
      subjectName: string | null
      /** What the container is called; null while nobody has named it. Untrusted */
      containerName: string | null
      /** What happened; null where the integration has no words for it, or once retention has removed it */
      summary: Summary | null
      /** pending: facts needed for matching are still being fetched */
      state: 'pending' | 'matched'
      /** When it was received */
      createdAt: string
      /** The provider's payload; null once retention has removed it. Untrusted */
      raw: unknown
      /** Previous values of the changed properties; null where the event does not include them, or after the retention period. Untrusted */
      before: {
        [field: string]: unknown
      } | null
      /** New values of the same properties. Untrusted */
      after: {
        [field: string]: unknown
      } | null
      /** Starts of this event */
      starts: Array<{
        /** The start key: the same event always has the same key for a subscription, however often it is received */
        id: string
        subscription: string
        event: string
        integration: string
        trigger: string
        connection: string
        /** Id of what it is about */
        subject: string | null
        /** What the subject is called; null while nobody has named it. Untrusted */
        subjectName: string | null
        /** What the subject lies in is called; null where nobody says. Untrusted */
        containerName: string | null
        /** What happened; null where nobody has words for it, or once retention has removed it */
        summary: Summary | null
        /** leased: the agent is being called. dead: given up after the last attempt. merged: part of an earlier start of the same quiet period. missed: found too late */
        state: 'pending' | 'leased' | 'done' | 'dead' | 'merged' | 'paused' | 'missed' | 'cancelled'
        attempts: number
        /** How it was received */
        via: 'webhook' | 'poll' | 'recovery'
        /** Whether one of our own runs caused it */
        causedByUs: boolean | 'unknown'
        depth: number
        late: boolean
        test: boolean
        mergedInto: string | null
        replayOf: string | null
        /** When the next attempt is due */
        dueAt: string | null
        /** When the event happened */
        at: string
        /** The agent's last response */
        answer: {
          /** RFC 3339 */
          at: string
          status: number | null
          message: string | null
          durationMs: number
        } | null
        /** RFC 3339 */
        createdAt: string
        endedAt: string | null
        /** The last 20 attempts, oldest first, including those before a replay */
        answers: Answer[]
      }>
      /** Subscriptions of the connection, with the reason why the event started each of them or did not: those that it started, then the newest, at most 100 */
      subscriptions: Array<{
        subscription: string
        trigger: string
        /** Your own id for the agent */
        agent: string | null
        /** The same as a sentence */
        reason: string | null
        /** Fields of its config that the event does not match */
        fields: string[]
        /** Whether the event started it */
        starts: boolean | 'unknown'
        /** Why not: the kind of reason. started: another event with the same key did. pending: the event is still being matched. changed: the subscription, or what it depends on, was different when the event arrived */
        why: 'polled' | 'type' | 'model' | 'paused' | 'before_start' | 'own_event' | 'config' | 'started' | 'facts' | 'defect' | 'pending' | 'changed' | null
        /** Key of the start that it has */
        start: string | null
      }>
      /** How many more subscriptions the connection has */
      moreSubscriptions: number
      [field: string]: unknown
    }
    options: never
  }
  /** Send the starts of an event again, and match subscriptions that have none */
  replayEvent: {
    input: GetEventInput
    answer: {
      /** Starts sent again */
      replayed: number
      /** New starts, for subscriptions that had none for this event */
      started: number
    }
    options: never
  }
  /** List agent starts */
  listStarts: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      subscription?: string | undefined
      event?: string | undefined
      connection?: string | undefined
      state?: 'pending' | 'leased' | 'done' | 'dead' | 'merged' | 'paused' | 'missed' | 'cancelled' | undefined
      /** Only starts of subscriptions of this trigger */
      trigger?: string | undefined
      /** Only starts of this agent: your own id for it, otherwise its address, as GET /v1/agents has it in `name` */
      agent?: string | undefined
      /** Only those of this end user of the platform */
      person?: string | undefined
      /** The platform's own id of the subscription or its connection */
      externalId?: string | undefined
      /** A label of the subscription or its connection, as name:value; repeat it to narrow further */
      label?: string | string[] | undefined
    }
    answer: {
      items: Item9[]
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Get a start with its data */
  getStart: {
    input: {
      id: string
    }
    answer: {
      /** The start key: the same event always has the same key for a subscription, however often it is received */
      id: string
      subscription: string
      event: string
      integration: string
      trigger: string
      connection: string
      /** Id of what it is about */
      subject: string | null
      /** What the subject is called; null while nobody has named it. Untrusted */
      subjectName: string | null
      /** What the subject lies in is called; null where nobody says. Untrusted */
      containerName: string | null
      /** What happened; null where nobody has words for it, or once retention has removed it */
      summary: Summary | null
      /** leased: the agent is being called. dead: given up after the last attempt. merged: part of an earlier start of the same quiet period. missed: found too late */
      state: 'pending' | 'leased' | 'done' | 'dead' | 'merged' | 'paused' | 'missed' | 'cancelled'
      attempts: number
      /** How it was received */
      via: 'webhook' | 'poll' | 'recovery'
      /** Whether one of our own runs caused it */
      causedByUs: boolean | 'unknown'
      depth: number
      late: boolean
      test: boolean
      mergedInto: string | null
      replayOf: string | null
      /** When the next attempt is due */
      dueAt: string | null
      /** When the event happened */
      at: string
      /** The agent's last response */
      answer: {
        /** RFC 3339 */
        at: string
        status: number | null
        message: string | null
        durationMs: number
      } | null
      /** RFC 3339 */
      createdAt: string
      endedAt: string | null
      /** The last 20 attempts, oldest first, including those before a replay */
      answers: Answer[]
      /** Data of the trigger; null once retention has removed it. Written by others: untrusted */
      data: unknown
    }
    options: never
  }
  /** Send an ended start again with the same start key */
  replayStart: {
    input: {
      /** true: with a new start key, so that the agent treats it as new */
      force?: boolean | undefined
      id: string
    }
    answer: Item9
    options: never
  }
  /** Send all dead or missed starts of a subscription again */
  replayStarts: {
    input: {
      subscription: string
      /** Absent: dead */
      state?: 'dead' | 'missed' | undefined
    }
    answer: {
      replayed: number
    }
    options: never
  }
  /** Stream events and changed starts as server-sent events */
  stream: {
    input: { [field: string]: never }
    answer: Response
    options: never
  }
  /** List step runs */
  listRuns: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      integration?: string | undefined
      step?: string | undefined
      connection?: string | undefined
      /** Only those of this end user of the platform */
      person?: string | undefined
      state?: 'planned' | 'sending' | 'running' | 'done' | 'failed' | 'unknown' | 'not_sent' | undefined
      /** What was given as Start-Id */
      startId?: string | undefined
      /** Only the runs of one lookup at several providers */
      parentId?: string | undefined
      /** Only runs that began then or later */
      since?: string | undefined
      /** Only runs that began before */
      until?: string | undefined
      /** The platform's own id of the connection */
      externalId?: string | undefined
      /** A label of the connection, as name:value; repeat it to narrow further */
      label?: string | string[] | undefined
    }
    answer: {
      items: Array<{
        id: string
        integration: string
        step: string
        connection: string | null
        /** Id of the token that was used */
        token: string | null
        /** The end user whom it acted for, or whose account it used; null: nobody */
        person: string | null
        /** The start that it belongs to; a keyed digest of what was given where that is not the id of a start of this server */
        startId: string | null
        /** The lookup at several providers that the run is a part of */
        parentId: string | null
        /** The job that looked a row up with it; null: none */
        jobId: string | null
        effect: 'read' | 'create' | 'update' | 'delete'
        /** What it has done; null while it runs, after a failure, and where the integration has no words for it */
        summary: Summary | null
        state: 'planned' | 'sending' | 'running' | 'done' | 'failed' | 'unknown' | 'not_sent'
        code: string | null
        failure: Reason | null
        attempts: number
        calls: number
        credits: number
        creditsEstimated: boolean
        /** Time spent waiting for rate limits and between attempts: the sum over all exchanges, even where waits overlap */
        waitedMs: number
        /** How often the provider answered that its rate limit is used up (429) */
        refused: number
        /** RFC 3339 */
        createdAt: string
        durationMs: number
      }>
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Get a step run */
  getRun: {
    input: {
      id: string
    }
    answer: {
      id: string
      integration: string
      step: string
      connection: string | null
      /** Id of the token that was used */
      token: string | null
      /** The end user whom it acted for, or whose account it used; null: nobody */
      person: string | null
      /** The start that it belongs to; a keyed digest of what was given where that is not the id of a start of this server */
      startId: string | null
      /** The lookup at several providers that the run is a part of */
      parentId: string | null
      /** The job that looked a row up with it; null: none */
      jobId: string | null
      effect: 'read' | 'create' | 'update' | 'delete'
      /** What it has done; null while it runs, after a failure, and where the integration has no words for it */
      summary: Summary | null
      state: 'planned' | 'sending' | 'running' | 'done' | 'failed' | 'unknown' | 'not_sent'
      code: string | null
      failure: Reason | null
      attempts: number
      calls: number
      credits: number
      creditsEstimated: boolean
      /** Time spent waiting for rate limits and between attempts: the sum over all exchanges, even where waits overlap */
      waitedMs: number
      /** How often the provider answered that its rate limit is used up (429) */
      refused: number
      /** RFC 3339 */
      createdAt: string
      durationMs: number
      /** Each attempt at a request to the provider, in the order they ended; at most 100: of longer runs, the first 99 and the last */
      exchanges: Array<{
        /** When it was sent */
        at: string
        method: string | null
        /** As in the audit log: without ids and query. Method, path and status are null where an earlier version recorded a run whose only request succeeded at the first attempt */
        path: string | null
        /** Time spent before it, waiting for a rate limit or since the previous attempt */
        waitedMs: number
        durationMs: number
        /** The provider's status; null: no answer came, or an earlier version did not record it */
        status: number | null
        /** Why there is no usable answer; rate_limited where the provider refused it */
        code: 'invalid_input' | 'unauthenticated' | 'bad_signature' | 'budget_exceeded' | 'not_allowed' | 'approval_denied' | 'not_found' | 'conflict' | 'approval_expired' | 'too_large' | 'rejected' | 'not_connected' | 'access_denied' | 'credits_exhausted' | 'approval_pending' | 'outcome_unknown' | 'rate_limited' | 'suppressed' | 'cancelled' | 'internal' | 'wire_unset' | 'provider_failed' | 'bad_reply' | 'unavailable' | 'unreachable' | null
      }>
      /** Input and output, where the server stores them (`contentsKept` of GET /v1/server); null: not stored, no longer stored, or about somebody who is suppressed */
      contents: {
        /** As the step read it; absent where it failed before it was read */
        input?: unknown
        /** Absent unless the run succeeded. Data from the provider: untrusted */
        output?: unknown
        /** The input takes more than 64 kB as JSON: it is not stored */
        inputTooLarge?: true
        /** The output takes more than 64 kB as JSON: it is not stored */
        outputTooLarge?: true
        /** When they are removed */
        until: string
      } | null
      /** Only while a background run is running, if its step reports it: how many parts are done, and of how many */
      progress?: {
        done: number
        total: number | null
      }
      /** Output of a background run, for ten minutes after it ends */
      output?: unknown
    }
    options: never
  }
  /** Cancel a background run */
  cancelRun: {
    input: {
      id: string
    }
    answer: {
      id: string
    }
    options: never
  }
  /** Get usage by day, step and connection */
  getUsage: {
    input: {
      /** How many days back, 1 to 366 Default: 30. */
      days?: number | undefined
      /** The first day, in UTC, such as 2026-11-01, in place of `days` */
      since?: string | undefined
      /** The last day, with `since`; absent: until now */
      until?: string | undefined
      /** Only those of this end user of the platform */
      person?: string | undefined
      /** Adds `totals`, by this */
      by?: 'step' | 'person' | 'connection' | undefined
    }
    answer: {
      /** The first day, in UTC */
      since: string
      /** The last day; null: until now */
      until: string | null
      /** With `by`: one row for each integration and step, person or connection; the most credits first */
      totals?: Array<{
        integration: string
        /** null unless the totals are by step */
        step: string | null
        /** null unless the totals are by person, and for the runs that acted for nobody */
        person: string | null
        /** null unless the totals are by connection, and for the runs that had no connection */
        connection: string | null
        /** Title of the step, id of the person or name of the connection; null: nobody, none, or removed */
        name: string | null
        runs: number
        failed: number
        calls: number
        credits: number
        /** How many of the credits are estimated */
        estimatedCredits: number
        /** What the credits cost; absent where the operator gives no price for a credit of this integration */
        money?: {
          amount: number
          /** ISO 4217, such as EUR */
          currency: string
        }
      }>
      items: Array<{
        /** In UTC, such as 2026-03-01 */
        day: string
        integration: string
        step: string
        connection: string | null
        runs: number
        failed: number
        calls: number
        credits: number
        /** How many of the credits are estimated */
        estimatedCredits: number
        /** Time spent waiting for rate limits and between attempts */
        waitedMs: number
        /** How often the provider answered that its rate limit is used up (429) */
        refused: number
        /** What the credits cost; absent where the operator gives no price for a credit of this integration */
        money?: {
          amount: number
          /** ISO 4217, such as EUR */
          currency: string
        }
      }>
      /** Credits of the ledger, by the day on which they were reserved */
      spent: Array<{
        /** In UTC, such as 2026-03-01 */
        day: string
        integration: string
        step: string
        connection: string | null
        token: string | null
        spent: number
        /** How many of the spent credits are estimated */
        estimated: number
        reserved: number
        /** What the credits cost; absent where the operator gives no price for a credit of this integration */
        money?: {
          amount: number
          /** ISO 4217, such as EUR */
          currency: string
        }
      }>
      /** With what each has left in its present period */
      budgets: Item[]
    }
    options: never
  }
  /** Export usage as CSV */
  exportUsage: {
    input: {
      /** How many days back, 1 to 366 Default: 30. */
      days?: number | undefined
      /** The first day, in UTC, such as 2026-11-01, in place of `days` */
      since?: string | undefined
      /** The last day, with `since`; absent: until now */
      until?: string | undefined
      /** Only those of this end user of the platform */
      person?: string | undefined
      /** What the lines are told apart by Default: "step". */
      by?: 'step' | 'person' | 'connection' | undefined
    }
    answer: string
    options: never
  }
  /** List tenants */
  listTenants: {
    input: ListJobsInput
    answer: {
      items: Array<{
        id: string
        name: string
        /** RFC 3339 */
        createdAt: string
      }>
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Add a tenant */
  createTenant: {
    input: {
      id?: string | undefined
      name: string
    }
    answer: {
      id: string
      name: string
      /** RFC 3339 */
      createdAt: string
    }
    options: never
  }
  /** List the tokens of a tenant */
  listTokens: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      /** Default: "default". */
      tenant?: string | undefined
      /** Only those of this end user of the platform */
      person?: string | undefined
    }
    answer: {
      items: Item10[]
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Create a token; its text is returned only once */
  createToken: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
      name: string
      /** Absent: all except admin */
      scopes?: Array<'run' | 'connections' | 'subscriptions' | 'approvals' | 'read' | 'metrics' | 'admin'> | undefined
      /** Only these steps, each "integration/step" */
      steps?: string[] | undefined
      /** Only these connections, by id */
      connections?: string[] | undefined
      /** Only the steps of this tool set, such as core */
      toolSet?: string | undefined
      /** It acts for this end user of the platform alone */
      person?: string | undefined
      expiresAt?: string | undefined
    }
    answer: {
      /** Shown only once */
      text: string
      token: Item10
    }
    options: never
  }
  /** Revoke a token */
  revokeToken: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
      id: string
    }
    answer: undefined
    options: never
  }
  /** List master keys by id */
  getKeys: {
    input: { [field: string]: never }
    answer: {
      /** Id of the master key that secrets are sealed with */
      present: string
      /** Former keys that still open sealed rows */
      previous: string[]
      /** Former keys kept for older backups */
      kept: string[]
      /** Number of sealed rows per key */
      rows: {
        [field: string]: number
      }
    }
    options: never
  }
  /** Rotate the master key while the server keeps running */
  rotateKeys: {
    input: { [field: string]: never }
    answer: {
      keyId: string
      /** false: the keys come from the environment, so no key was created */
      made: boolean
      resealed: number
      /** Rows that no available key opens */
      failed: Array<{
        kind: string
        tenant: string
        id: string
        reason: string
      }>
      /** Keys that only older backups still need */
      dropped: string[]
      /** Former keys kept in the key file for those backups */
      kept: string[]
    }
    options: never
  }
  /** List the audit trail: writes, paid lookups, refusals, changes to connections, tokens and keys */
  listAudit: {
    input: {
      /** Maximum number of items, 1 to 200 Default: 50. */
      limit?: number | undefined
      /** "next" of the previous page */
      cursor?: string | undefined
      /** Default: "default". */
      tenant?: string | undefined
      connection?: string | undefined
      outcome?: string | undefined
      actor?: string | undefined
    }
    answer: {
      items: Array<{
        /** Consecutive number per tenant, without gaps */
        seq: number
        /** RFC 3339 */
        at: string
        tenant: string
        /** Id of the token, "library" or "process" */
        actor: string
        startId: string | null
        runId: string | null
        integration: string | null
        connection: string | null
        /** Method of the request to the provider; "verb" for operations of this server */
        method: string
        /** Path with ids replaced by {id}, or the name of the operation */
        path: string
        /** "ok" or a failure code */
        outcome: string
        providerStatus: number | null
        decision: string
        keyId: string | null
        /** Hash of the previous row */
        before: string
        hash: string
      }>
      /** Pass it as cursor to get the next page; absent on the last page */
      next?: string
    }
    options: never
  }
  /** Verify the audit trail */
  verifyAudit: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
      /** Number and hash of a row, as exported */
      head?: string | undefined
    }
    answer: {
      ok: boolean
      rows?: number
      /** Rows before this one were written by a version that did not sign the audit trail */
      keyedFrom?: number
      seq?: number
      reason?: string
    }
    options: never
  }
  /** Get the newest row of the audit trail, to store elsewhere */
  getAuditHead: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
    }
    answer: {
      seq: number
      hash: string
      /** Number and hash of a row, as exported */
      head: string
    }
    options: never
  }
  /** Get the limits and exceptions of a tenant */
  getPolicy: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
    }
    answer: GetPolicyAnswer
    options: never
  }
  /** Replace the limits and exceptions of a tenant */
  putPolicy: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
      /** Absent: the limits of the server */
      limits?: {
        /** Requests to this server per second */
        requestsPerSecond?: number | undefined
        /** How many may come at once above that */
        burst?: number | undefined
        /** Step runs and lookups per minute that act for the same person */
        personRunsPerMinute?: number | undefined
        /** Step runs going on at once */
        running?: number | undefined
        /** Step runs that may wait for their turn */
        waiting?: number | undefined
        /** Connected accounts */
        connections?: number | undefined
        /** Subscriptions */
        subscriptions?: number | undefined
        /** Labels of one connection or subscription */
        labels?: number | undefined
        /** Outcomes stored for idempotency keys, in MB; those of reads make room, oldest first */
        keyedMegabytes?: number | undefined
        /** Files stored at once */
        files?: number | undefined
        /** What all files may take together, in MB */
        filesMegabytes?: number | undefined
        /** Size of one file, in MB */
        fileMegabytes?: number | undefined
      } | undefined
      /** What a call for a person uses that names no connection: their own account, the default of the workspace, or the first of these that exists. Absent: as the server is set */
      defaultAccount?: 'personal' | 'shared' | 'personal-then-shared' | undefined
      /** By integration: patterns of its manifest's apiCall.deny that this tenant may use anyway */
      apiCallAllow?: {
        [field: string]: string[]
      } | undefined
      /** By integration: path patterns that API Call may use within a budget though nobody knows their price */
      apiCallUnpriced?: {
        [field: string]: string[]
      } | undefined
    }
    answer: GetPolicyAnswer
    options: never
  }
  /** Check this installation */
  listChecks: {
    input: { [field: string]: never }
    answer: {
      items: Array<{
        /** The same each time for the same finding */
        id: string
        /** problem: does not work; warning: works, but something should be done */
        level: 'ok' | 'warning' | 'problem'
        /** What was checked */
        title: string
        /** What was found */
        detail: string
        /** Where something can be done about it */
        about?: {
          kind: 'connection' | 'subscription' | 'starts' | 'limits' | 'keys' | 'audit'
          /** null: of the whole installation */
          tenant: string | null
          /** null: of all of them */
          id: string | null
        }
        /** What to do about it; null: nothing */
        remedy: string | null
      }>
    }
    options: never
  }
  /** Back up all tenants while the server keeps running */
  backup: {
    input: { [field: string]: never }
    answer: Response
    options: never
  }
  /** Get where the notifications of a tenant go */
  getNotificationTarget: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
    }
    answer: GetNotificationTargetAnswer
    options: never
  }
  /** Set where the notifications of a tenant go */
  putNotificationTarget: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
      /** Notifications are sent here by signed POST. A private address must be one of the origins the operator allows */
      url: string
      /** Absent or null: every type */
      types?: Array<'connection.created' | 'connection.needs_reconnect' | 'subscription.unhealthy' | 'start.dead' | 'gap.found' | 'deprecation.used' | 'budget.warned' | 'approval.requested' | 'approval.ended'> | null | undefined
      /** "whsec_" and 24 to 64 bytes in base64; absent: the present one stays, or one is created and returned only in this response */
      secret?: string | undefined
    }
    answer: GetNotificationTargetAnswer
    options: never
  }
  /** Stop notifications */
  removeNotificationTarget: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
    }
    answer: undefined
    options: never
  }
  /** Rotate the secret that signs notifications */
  rotateNotificationSecret: {
    input: {
      /** "whsec_" and 24 to 64 bytes in base64; absent: one is created and returned only in this response */
      secret?: string | undefined
      /** How long signatures of the previous secret are sent too, in ms; absent: a day */
      overlapMs?: number | undefined
      /** Default: "default". */
      tenant?: string | undefined
    }
    answer: GetNotificationTargetAnswer
    options: never
  }
  /** List suppressions */
  listSuppressions: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
      /** Default: 50. */
      limit?: number | undefined
      cursor?: string | undefined
    }
    answer: {
      items: Array<{
        /** A keyed hash of the identifier, which is stored nowhere */
        id: string
        kind: 'email' | 'linkedin' | 'phone' | 'recordId'
        source: 'manual' | 'file' | 'webhook'
        createdAt: string
      }>
      next?: string
    }
    options: never
  }
  /** Add to the suppression list */
  addSuppressions: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
      entries: Entrie[]
      /** Default: "manual". */
      source?: 'manual' | 'file' | undefined
    }
    answer: {
      added: number
      present: number
    }
    options: never
  }
  /** Remove from the suppression list */
  removeSuppressions: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
      entries: Entrie[]
    }
    answer: {
      removed: number
    }
    options: never
  }
  /** Remove an entry of the suppression list */
  removeSuppression: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
      id: string
    }
    answer: undefined
    options: never
  }
  /** Export what is stored about a person */
  exportPerson: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
      /** All that is known of one person */
      identifiers: Identifier[]
    }
    answer: {
      records: Array<{
        /** lookup, outcome, approval, run, sample, people_list, people_list_row, event, unclaimed, undecodable, start, timer, poll, file, job or audit */
        kind: string
        id: string
        at: string | null
        /** What is stored; null for a file, which GET /v1/files/{id} gives */
        data: unknown
      }>
      /** There are more than the 1,000 records that are shown */
      more: boolean
      /** Identifiers that stored results name beside those given */
      alsoKnownAs: Array<{
        kind: 'email' | 'linkedin' | 'phone' | 'recordId'
        value: string
      }>
      /** Whether one of the identifiers is on the suppression list */
      suppressed: boolean
      /** Files that are no text, and whatever is damaged or has lost its key: they were not searched to the end */
      unread: number
    }
    options: never
  }
  /** Erase what is stored about a person */
  erasePerson: {
    input: {
      /** Default: "default". */
      tenant?: string | undefined
      /** All that is known of one person */
      identifiers: Identifier[]
      /** Puts the identifiers on the suppression list first; false by default */
      suppress?: boolean | undefined
    }
    answer: {
      id: string
      at: string
      tenant: string
      /** Keyed hashes of the identifiers */
      persons: string[]
      /** How many of each kind */
      removed: {
        [field: string]: number
      }
      /** Files that are no text, and whatever is damaged or has lost its key: they were not searched to the end */
      unread: number
      /** Copies of the database, made before upgrades, that were removed with it */
      copies: number
      /** Rows of the audit log that name the person. They cannot change, since each covers the one before; they are removed at their age */
      auditRows: number
      /** Whether one of the identifiers is on the suppression list */
      suppressed: boolean
    }
    options: never
  }
  /** Check liveness */
  live: {
    input: { [field: string]: never }
    answer: {
      status: 'live'
    }
    options: never
  }
  /** Check readiness */
  ready: {
    input: { [field: string]: never }
    answer: {
      status: 'ready'
    }
    options: never
  }
  /** Get this document */
  getOpenApi: {
    input: { [field: string]: never }
    answer: {
      openapi: string
      [field: string]: unknown
    }
    options: never
  }
  /** Get a link that signs a browser in to the console */
  createSignInCode: {
    input: { [field: string]: never }
    answer: {
      /** Address that signs a browser in, once. The code is in the fragment, which browsers do not send */
      url: string
      expiresAt: string
    }
    options: never
  }
  /** Sign a browser in */
  signIn: {
    input: {
      /** Code of a sign-in link: what follows "#code=" in its address */
      code?: string | undefined
      /** A token of this server, instead of a code */
      token?: string | undefined
    }
    answer: SignInAnswer
    options: never
  }
  /** Get whose session this is and what it may do */
  getSession: {
    input: { [field: string]: never }
    answer: SignInAnswer
    options: never
  }
  /** Sign out */
  signOut: {
    input: { [field: string]: never }
    answer: undefined
    options: never
  }
  /** Get version, public address and sandbox of this server */
  getServer: {
    input: { [field: string]: never }
    answer: {
      version: string
      /** Public address of this server (TOOLYARD_PUBLIC_URL); null: not set */
      publicUrl: string | null
      /** Whether input and output of runs are stored for a while (TOOLYARD_RUN_CONTENTS); if not, `contents` of a run is null */
      contentsKept: boolean
      /** What a credit costs, by integration, where the operator says so (TOOLYARD_CREDIT_PRICES) */
      creditPrices: {
        [field: string]: {
          amount: number
          currency: string
        }
      }
      /** The sandbox of this server; null: it has none */
      sandbox: {
        places: Array<{
          /** The provider it stands in for */
          title: string
          integration: string
          /** Address it listens at */
          origin: string
          /** Address of its page for people, if it has one */
          page?: string
        }>
        /** Address of the example agent, which receives starts; null: there is none */
        agent: string | null
      } | null
    }
    options: never
  }
  /** Get metrics for Prometheus */
  getMetrics: {
    input: { [field: string]: never }
    answer: string
    options: never
  }
}

type OneOf = {
  /** true: exactly one set; false: at least one */
  exactlyOne: boolean
  /** One segment for each set */
  sets: Array<{
    /** Of the segment */
    title: string
    /** Names of fields to fill together */
    fields: string[]
  }>
}

type Layout = {
  /** In the order of the form */
  fields: Array<{
    /** Name in the schema */
    name: string
    /** Shown above the field */
    title: string
    /** Shown below the field */
    description: string
    /** pick, pick-many: choices loaded from the account; choice, choices: those listed; rows: a table, drawn as `row` says; json: any JSON value; duration: a time span, stored as a number of `unit`; file: a file handle */
    control: 'text' | 'long-text' | 'secret' | 'url' | 'email' | 'date-time' | 'number' | 'duration' | 'switch' | 'choice' | 'choices' | 'pick' | 'pick-many' | 'list' | 'rows' | 'json' | 'file' | 'connection'
    /** Must be filled in */
    required: boolean
    /** main: shown at once; more: under "more fields" */
    place: 'main' | 'more'
    /** Value used when the field is absent */
    default?: unknown
    /** Allowed values of `choice` and `choices` */
    choices?: string[]
    /** Display name of each choice */
    labels?: {
      [field: string]: string
    }
    /** Minimum of a `number` or `duration`, in its unit */
    min?: number
    /** Maximum of a `number` or `duration`, in its unit */
    max?: number
    /** Kind of the things to choose from, as sentences and names refer to them */
    names?: string
    /** Fields to fill first, because the choices depend on them */
    dependsOn?: string[]
    /** Takes an id or a pasted address */
    accepts?: 'id-or-url'
    /** Only narrows dropdowns; not part of `input` */
    scope?: true
    /** Shown only while another field has one of some values */
    showWhen?: {
      /** The other field */
      field: string
      /** Its values; absent: any */
      is?: Array<string | number | boolean>
    }
    /** Shown in the empty field; never a default */
    placeholder?: string
    /** Page of the provider that explains the field */
    helpUrl?: string
    /** What the number counts; of a `duration`, the unit it is stored in */
    unit?: 'ms' | 'seconds' | 'minutes' | 'hours' | 'days' | 'bytes' | 'people' | 'credits'
    /** Layout of one row of `rows` */
    row?: {
      /** In the order of the form */
      fields: Array<{
        /** Name in the schema */
        name: string
        /** Shown above the field */
        title: string
        /** Shown below the field */
        description: string
        /** pick, pick-many: choices loaded from the account; choice, choices: those listed; rows: a table, drawn as `row` says; json: any JSON value; duration: a time span, stored as a number of `unit`; file: a file handle */
        control: 'text' | 'long-text' | 'secret' | 'url' | 'email' | 'date-time' | 'number' | 'duration' | 'switch' | 'choice' | 'choices' | 'pick' | 'pick-many' | 'list' | 'rows' | 'json' | 'file' | 'connection'
        /** Must be filled in */
        required: boolean
        /** main: shown at once; more: under "more fields" */
        place: 'main' | 'more'
        /** Value used when the field is absent */
        default?: unknown
        /** Allowed values of `choice` and `choices` */
        choices?: string[]
        /** Display name of each choice */
        labels?: {
          [field: string]: string
        }
        /** Minimum of a `number` or `duration`, in its unit */
        min?: number
        /** Maximum of a `number` or `duration`, in its unit */
        max?: number
        /** Kind of the things to choose from, as sentences and names refer to them */
        names?: string
        /** Fields to fill first, because the choices depend on them */
        dependsOn?: string[]
        /** Takes an id or a pasted address */
        accepts?: 'id-or-url'
        /** Only narrows dropdowns; not part of `input` */
        scope?: true
        /** Shown only while another field has one of some values */
        showWhen?: {
          /** The other field */
          field: string
          /** Its values; absent: any */
          is?: Array<string | number | boolean>
        }
        /** Shown in the empty field; never a default */
        placeholder?: string
        /** Page of the provider that explains the field */
        helpUrl?: string
        /** What the number counts; of a `duration`, the unit it is stored in */
        unit?: 'ms' | 'seconds' | 'minutes' | 'hours' | 'days' | 'bytes' | 'people' | 'credits'
      }>
      /** Sets of fields of which at least (or exactly) one must be filled; shown as a segmented control */
      oneOf: OneOf | null
    }
  }>
  /** Sets of fields of which at least (or exactly) one must be filled; shown as a segmented control */
  oneOf: OneOf | null
}

type Connection = {
  /** Its name in requests, beside `input` and `config` */
  name: 'connection'
  /** Shown above the field */
  title: string
  /** Shown below the field */
  description: string
  /** As for other fields */
  control: 'connection'
  /** Must be filled in */
  required: boolean
  /** Connection types that it accepts */
  types: string[]
}

type Cost = {
  /** The provider's credits */
  unit: 'credit'
  /** What is charged */
  per: 'match' | 'record' | 'call'
  /** [least, most] */
  typical: number[]
}

type Fields = {
  [field: string]: {
    /** Choices are loaded from the account with POST …/options */
    options?: true
    /** Kind of the things to choose from, as sentences and names refer to them */
    names?: string
    /** Fields to fill first, because the choices depend on them */
    dependsOn?: string[]
    /** Takes an id or a pasted address */
    accepts?: 'id-or-url'
    /** Only narrows dropdowns; shown in forms, absent from tools */
    scope?: true
    /** A text of several lines */
    long?: true
    /** Display names of the choices */
    labels?: {
      [field: string]: string
    }
    /** Shown only while another field has one of some values */
    showWhen?: {
      /** The other field */
      field: string
      /** Its values; absent: any */
      is?: Array<string | number | boolean>
    }
    /** Shown in the empty field; never a default */
    placeholder?: string
    /** Page of the provider that explains the field */
    helpUrl?: string
    /** What the number counts; of a `duration`, the unit it is stored in */
    unit?: 'ms' | 'seconds' | 'minutes' | 'hours' | 'days' | 'bytes' | 'people' | 'credits'
    /** Rarely needed by agents: omitted from tool definitions, still accepted */
    rare?: true
    /** Extras of the fields of one row of a table */
    row?: {
      [field: string]: {
        /** Choices are loaded from the account with POST …/options */
        options?: true
        /** Kind of the things to choose from, as sentences and names refer to them */
        names?: string
        /** Fields to fill first, because the choices depend on them */
        dependsOn?: string[]
        /** Takes an id or a pasted address */
        accepts?: 'id-or-url'
        /** Only narrows dropdowns; shown in forms, absent from tools */
        scope?: true
        /** A text of several lines */
        long?: true
        /** Display names of the choices */
        labels?: {
          [field: string]: string
        }
        /** Shown only while another field has one of some values */
        showWhen?: {
          /** The other field */
          field: string
          /** Its values; absent: any */
          is?: Array<string | number | boolean>
        }
        /** Shown in the empty field; never a default */
        placeholder?: string
        /** Page of the provider that explains the field */
        helpUrl?: string
        /** What the number counts; of a `duration`, the unit it is stored in */
        unit?: 'ms' | 'seconds' | 'minutes' | 'hours' | 'days' | 'bytes' | 'people' | 'credits'
        /** Rarely needed by agents: omitted from tool definitions, still accepted */
        rare?: true
      }
    }
  }
}

type AccountFields = {
  /** Field of the input that holds their values */
  field: string
  /** Fields to fill first */
  dependsOn: string[]
}

type Example = {
  /** What it shows */
  title: string
  /** The input */
  input: unknown
  /** The output */
  output?: unknown
  /** The failure, if it fails */
  failure?: unknown
}

type Meta = {
  runId: string
  durationMs: number
  /** Requests sent to the provider, retries included */
  attempts: number
  /** The connection that was used */
  connection?: {
    id: string
    name: string
  }
  credits?: {
    charged: number
    estimated: boolean
  }
  /** Minimum and maximum of credits that it might have cost, reserved before anything was sent */
  quoted?: number[]
  cached?: boolean
  /** How many lookups shared its bulk request; the request is counted for one of them */
  merged?: number
  /** API Call: what is unusual in the request, such as a parameter that is not documented */
  warnings?: string[]
  /** API Call: the endpoint is not among `apiCall.operations` of the manifest, so the parameters were not checked */
  unlisted?: boolean
  /** Nothing was sent; the output shows what would be sent */
  dryRun?: true
}

type Price = {
  unit: 'credit'
  per: 'match' | 'record' | 'call'
  /** Minimum and maximum */
  typical: number[]
  /** The price in words */
  text?: string
  /** Minimum and maximum cost of this call */
  total?: number[]
}

type Item = {
  id: string
  scope: 'tenant' | 'connection' | 'token' | 'person'
  subject: string | null
  /** Name of the connection or token, or id of the person; null: a budget of the tenant, or it is gone */
  subjectName: string | null
  integration: string | null
  credits: number
  period: 'day' | 'week' | 'month' | 'total'
  timeZone: string
  /** Share of the credits from which the notification budget.warned is sent; null: never */
  warnAt: number | null
  /** In this period */
  spent: number
  /** By runs that are being sent, and by those of unknown outcome that nobody has resolved */
  reserved: number
  remaining: number
  /** RFC 3339 */
  periodStart: string
  /** null: it does not end */
  periodEnd: string | null
  /** When nothing remains, at the pace of this period so far; null: not in this period */
  projectedRunOutAt: string | null
  /** RFC 3339 */
  createdAt: string
  /** RFC 3339 */
  updatedAt: string
}

type Item2 = {
  id: string
  /** The rows of one run, or of one event that the provider charged for, share it */
  entry: string
  /** Id of the run, or connection and id of the event */
  run: string
  job: string | null
  /** reserved before it was sent; settled: what was charged; released: what had been reserved; unknown: nobody knows whether it was charged, so it stays reserved; resolved: what somebody said that it had cost */
  kind: 'reserved' | 'settled' | 'released' | 'unknown' | 'resolved'
  credits: number
  /** By the documented price, since the provider did not say */
  estimated: boolean
  connection: string | null
  integration: string
  /** Step, or type of the event */
  step: string
  token: string | null
  /** The end user it is of or for; null: nobody */
  person: string | null
  /** RFC 3339 */
  at: string
}

type Email = {
  value: string
  /** As the provider names it, for example work or personal. */
  type?: string
  /** Score or grade as the provider gives it. */
  confidence?: string | number
  /** Deliverability as the provider gives it. */
  status?: string
  /** Deliverability in the same words for all providers. */
  deliverable?: 'yes' | 'risky' | 'no' | 'unknown'
  /** Where the provider has it from. */
  source?: string
  updatedAt?: string
  /** The provider's date of the value; if there is none, when it was read. */
  asOf?: string
  [field: string]: unknown
}

type Phone = {
  /** As the provider writes it. */
  number: string
  /** As the provider names it, for example mobile or direct. */
  type?: string
  /** The number in E.164, if its country is known. */
  e164?: string
  /** Kind of line, in the same words for all providers. */
  line?: 'mobile' | 'direct' | 'office' | 'unknown'
  /** Whether the number is on a do-not-call list, as far as the provider says. "unknown" does not mean that it may be called. */
  doNotCall: 'yes' | 'no' | 'unknown'
  /** Where the provider has it from. */
  source?: string
  updatedAt?: string
  /** The provider's date of the value; if there is none, when it was read. */
  asOf?: string
  [field: string]: unknown
}

type Person = {
  /** Id at the provider. */
  id?: string
  fullName?: string
  firstName?: string
  lastName?: string
  headline?: string
  jobTitle?: string
  seniority?: string
  departments?: string[]
  /** Name of the employer. */
  company?: string
  companyId?: string
  companyDomain?: string
  companyWebsite?: string
  companyAbn?: string
  companySize?: string
  companyIndustry?: string
  /** The first work address of `emails`, or the first. */
  email?: string
  /** Place as one line. */
  location?: string
  city?: string
  /** State or region, as the provider writes it. */
  region?: string
  country?: string
  countryCode?: string
  emails?: Email[]
  phones?: Phone[]
  /** Profile or page address. */
  linkedinUrl?: string
  /** Last part of that address, decoded. */
  linkedinSlug?: string
  socialProfiles?: Array<{
    network?: string
    url: string
    [field: string]: unknown
  }>
  /** Score or grade of the whole record, as the provider gives it. */
  confidence?: string | number
  /** True: opted out at the provider; do not contact. */
  suppressed?: boolean
  /** When the provider last renewed it. */
  updatedAt?: string
  /** In search results: an address can be had by enrichment. */
  hasEmail?: boolean
  /** In search results: a number can be had by enrichment. */
  hasPhone?: boolean
  /** In search results: a number is on a do-not-call list. */
  hasDoNotCall?: boolean
  [field: string]: unknown
}

type Conflict = {
  field: string
  values: Array<{
    value: unknown
    /** Id of the integration. */
    provider: string
    /** Id of the connection. */
    connection: string
    /** When the provider gave it. */
    at: string
    /** Date of the value: the date that the provider states; without one, when it was read. */
    asOf?: string
    /** As the provider gives it. */
    confidence?: string | number
    /** When the provider last renewed it, as it writes that. */
    updatedAt?: string
    [field: string]: unknown
  }>
  [field: string]: unknown
}

type Estimate = {
  /** Share of the wanted fields that it fills, 0 to 1. */
  hitRate: number
  /** What a lookup costs, match or not. */
  credits: number
  /** Earlier lookups that it rests on; old ones weigh less. */
  lookups: number
  /** How old its records are, where it says so. */
  ageDays?: number
  why: string
  [field: string]: unknown
}

type Provider = {
  /** Id of the integration. */
  provider: string
  connection: string | null
  /** skipped: it was not asked, for the reason given. error: it failed, and the next provider was asked. */
  status: 'match' | 'no_match' | 'skipped' | 'error'
  /** Wanted fields that it was the first to fill. */
  filled: string[]
  credits: number
  estimated: boolean
  runId?: string
  /** Nothing was sent or paid: an earlier answer was used. */
  cached?: true
  matchedBy?: string
  reason?: string
  /** What it was expected to fill and to cost, where the order was chosen. */
  estimate?: Estimate
  failure?: {
    code: string
    message: string
    retryable: boolean
    [field: string]: unknown
  }
  [field: string]: unknown
}

type Company = {
  /** Id at the provider. */
  id?: string
  name?: string
  legalName?: string
  /** Australian Business Number, 11 digits. */
  abn?: string
  acn?: string
  nzbn?: string
  /** Registration status as the provider gives it. */
  status?: string
  type?: string
  domain?: string
  website?: string
  description?: string
  industry?: string
  industries?: string[]
  employeeCount?: number
  /** Size band, for example "51-200". */
  employeeRange?: string
  /** As the provider writes it. */
  revenue?: string
  foundedYear?: number
  technologies?: string[]
  specialities?: string[]
  /** Place as one line. */
  location?: string
  city?: string
  /** State or region, as the provider writes it. */
  region?: string
  country?: string
  countryCode?: string
  emails?: Email[]
  phones?: Phone[]
  /** Profile or page address. */
  linkedinUrl?: string
  /** Last part of that address, decoded. */
  linkedinSlug?: string
  socialProfiles?: Array<{
    network?: string
    url: string
    [field: string]: unknown
  }>
  /** Score or grade of the whole record, as the provider gives it. */
  confidence?: string | number
  /** True: opted out at the provider; do not contact. */
  suppressed?: boolean
  /** When the provider last renewed it. */
  updatedAt?: string
  [field: string]: unknown
}

type GetStepSampleAnswer = {
  input: {
    [field: string]: unknown
  }
  /** Data from the provider: untrusted */
  output: unknown
  /** RFC 3339 */
  savedAt: string
  /** When it is deleted */
  expiresAt: string
}

type ListFilesInput = {
  /** Maximum number of items, 1 to 200 Default: 50. */
  limit?: number | undefined
  /** "next" of the previous page */
  cursor?: string | undefined
  /** Only those of this end user of the platform */
  person?: string | undefined
}

type Item3 = {
  /** Give it to a step as { "file": "<id>" } */
  id: string
  name: string
  /** Detected from the content; the declared type counts only where the content is ambiguous */
  mediaType: string
  /** In bytes */
  size: number
  /** Of the content, in hexadecimal */
  sha256: string
  /** Where it came from: an upload, an address, a step that read it from the provider, or a job (its result, or its copy of a list) */
  source: 'upload' | 'address' | 'step' | 'job'
  /** The run that stored it */
  runId: string | null
  /** The end user it is of or for; null: nobody */
  person: string | null
  /** RFC 3339 */
  createdAt: string
  /** When it is deleted */
  expiresAt: string
}

type Reason = {
  code: 'invalid_input' | 'unauthenticated' | 'bad_signature' | 'budget_exceeded' | 'not_allowed' | 'approval_denied' | 'not_found' | 'conflict' | 'approval_expired' | 'too_large' | 'rejected' | 'not_connected' | 'access_denied' | 'credits_exhausted' | 'approval_pending' | 'outcome_unknown' | 'rate_limited' | 'suppressed' | 'cancelled' | 'internal' | 'wire_unset' | 'provider_failed' | 'bad_reply' | 'unavailable' | 'unreachable'
  message: string
  retryable: boolean
  actor: string
  /** What the failure says something of; run: this run, while another may go well */
  about: 'input' | 'record' | 'connection' | 'run' | 'provider' | 'us'
  [field: string]: unknown
}

type CreateJobAnswer = {
  id: string
  /** preparing: its file is being read; ready: waits for maxCredits or confirm */
  state: 'preparing' | 'ready' | 'running' | 'paused' | 'done' | 'cancelled' | 'failed'
  /** The file it reads */
  file: string
  /** The stored list that the file is a copy of */
  list: string | null
  name: string
  kind: 'person' | 'company'
  integration: string
  connection: string
  /** Column by field */
  map: {
    [field: string]: string
  }
  /** Null until the file was read */
  rows: number | null
  /** Rows that have a result */
  done: number
  matched: number
  noMatch: number
  /** Rows without anything to look them up by, or left out by a cancellation */
  skipped: number
  /** People and companies that opted out */
  suppressed: number
  errors: number
  /** Share of matches among the rows that were looked up */
  hitRate: number | null
  /** What the rows that can be looked up cost if each is found, in credits */
  quote: {
    least: number
    most: number
    /** As the rows so far suggest; at most `most` */
    expected: number | null
  } | null
  credits: {
    spent: number
    /** How many of those are estimates */
    estimated: number
    /** The budget */
    max: number | null
  }
  confirmed: boolean
  rowsPerSecond: number | null
  secondsLeft: number | null
  /** Why it is paused or has failed */
  reason: Reason | null
  /** The file with the result */
  result: string | null
  createdAt: string
  startedAt: string | null
  endedAt: string | null
  expiresAt: string
}

type ListJobsInput = {
  /** Maximum number of items, 1 to 200 Default: 50. */
  limit?: number | undefined
  /** "next" of the previous page */
  cursor?: string | undefined
}

type Expected = {
  /** Rows that are still to be looked up */
  rows: number
  /** Matches of the whole job */
  matches: {
    least: number
    likely: number
    most: number
  }
  /** Credits of the whole job; never above its budget */
  credits: {
    least: number
    likely: number
    most: number
  }
  /** Probability that the outcome is between `least` and `most` */
  likelihood: number
  /** Providers in the order in which they are asked */
  orders: Array<{
    /** How many rows are looked up in this order */
    rows: number
    providers: Array<{
      provider: string
      connection: string | null
      /** What it was expected to fill and to cost, where the order was chosen. */
      estimate: Estimate
    }>
  }>
  /** What was assumed where earlier lookups do not show it */
  assumed: string[]
}

type Summary = {
  /** One line, without a full stop. It contains words of other people: untrusted */
  text: string
  parts: Array<{
    text: string
    role?: 'who' | 'what' | 'where' | 'from' | 'to' | 'quote' | 'value'
    /** The thing at the provider that the part names */
    ref?: {
      kind: string
      id: string
      url?: string
    }
    /** Its name is not known, or not any more */
    unnamed?: true
  }>
}

type GetApprovalAnswer = {
  id: string
  /** open: waits for a decision; approved: will be sent; sending: is being sent; done: was sent, see `code` for a failure; denied: nothing was sent; expired: nothing was sent, because nobody decided in time or it may not be sent any more */
  state: 'open' | 'approved' | 'sending' | 'done' | 'denied' | 'expired'
  /** Who wants to do what; null: its content was removed, or is too long to be read for a list */
  summary: Summary | null
  /** What waits: a run of a step, a lookup at several providers, or a job */
  kind: 'step' | 'lookup' | 'job'
  integration: string
  step: string
  connection: string | null
  effect: 'read' | 'create' | 'update' | 'delete'
  /** The most that it may cost, in credits; null: it costs nothing, or nobody knows (see `price`) */
  credits: number | null
  /** The token or grant that made the call */
  token: string | null
  /** Names by id, of the tokens, the connection and the rule that it mentions; those that are gone are absent */
  names: {
    [field: string]: string
  }
  /** The end user it is of or for; null: nobody */
  person: string | null
  /** The agent start that the call belongs to */
  startId: string | null
  /** Id of the rule that holds it */
  rule: string
  /** Who decides */
  by: 'caller' | 'approvers' | {
    people?: string[]
    tokens?: string[]
  }
  /** Whether this token may decide about it now */
  mayDecide: boolean
  /** credits: up to `credits`; unknown: nobody knows what it costs, and nothing limits it */
  price: 'free' | 'credits' | 'unknown'
  /** 1 when it is first held, and one more each time that what would be sent has changed; 0: its content was removed, or is too long to be read for a list */
  version: number
  /** The run that sent it */
  runId: string | null
  /** The failure that it ended with */
  code: 'invalid_input' | 'unauthenticated' | 'bad_signature' | 'budget_exceeded' | 'not_allowed' | 'approval_denied' | 'not_found' | 'conflict' | 'approval_expired' | 'too_large' | 'rejected' | 'not_connected' | 'access_denied' | 'credits_exhausted' | 'approval_pending' | 'outcome_unknown' | 'rate_limited' | 'suppressed' | 'cancelled' | 'internal' | 'wire_unset' | 'provider_failed' | 'bad_reply' | 'unavailable' | 'unreachable' | null
  /** Whether it ended so that nobody knows if it was carried out */
  mayHaveHappened: boolean
  decidedBy: string | null
  decidedAt: string | null
  /** RFC 3339 */
  createdAt: string
  /** Until when it can be decided; once it is approved, until when it can be sent */
  expiresAt: string
  endedAt: string | null
  /** What would be run, and with which account */
  title: string | null
  /** The input of the call */
  input: unknown
  /** The requests that would be sent, as a dry run shows them: secrets are masked */
  requests: unknown[]
  /** false: later requests depend on the answers to these */
  complete: boolean
  /** The smaller limit that whoever approved it has set, in credits */
  maxCredits: number | null
  /** Why it was denied, was not sent, or is held again */
  reason: string | null
  /** Whether its content was removed, by an erasure or because of its age */
  erased: boolean
}

type Item4 = {
  id: string
  /** A name to recognise it by */
  name: string | null
  /** Which runs are held: those that meet every condition. Without conditions: every run that changes or costs something */
  when: {
    /** Ids of integrations */
    integrations?: string[]
    /** Steps, as integration/step */
    steps?: string[]
    /** Ids of tool sets */
    toolSets?: string[]
    /** What the run does at the provider; read: lookups that cost credits */
    effects?: Array<'read' | 'create' | 'update' | 'delete'>
    /** Runs that may cost more credits than this; 0: all that cost anything */
    creditsOver?: number
    /** The provider's ids of containers, such as projects: runs that touch one of them, or something in it */
    objects?: string[]
    /** Ids of connections */
    connections?: string[]
    /** Ids of the tokens or grants that make the call */
    tokens?: string[]
    /** End users whom the call acts for */
    people?: string[]
  }
  /** Who decides. approvers: every token with the scope `approvals` or `admin`, except whoever made the call; caller: these, and whoever made the call; people, tokens: only those named, who need the scope too */
  by: 'caller' | 'approvers' | {
    people?: string[]
    tokens?: string[]
  }
  /** How long a run waits for a decision, in minutes */
  expiresMinutes: number
  /** operator: set for every workspace (TOOLYARD_APPROVAL_RULES); it cannot be changed here */
  source: 'workspace' | 'operator'
  /** null: set by the operator */
  createdAt: string | null
  updatedAt: string | null
}

type When = {
  /** Ids of integrations */
  integrations?: string[] | undefined
  /** Steps, as integration/step */
  steps?: string[] | undefined
  /** Ids of tool sets */
  toolSets?: string[] | undefined
  /** What the run does at the provider; read: lookups that cost credits */
  effects?: Array<'read' | 'create' | 'update' | 'delete'> | undefined
  /** Runs that may cost more credits than this; 0: all that cost anything */
  creditsOver?: number | undefined
  /** The provider's ids of containers, such as projects: runs that touch one of them, or something in it */
  objects?: string[] | undefined
  /** Ids of connections */
  connections?: string[] | undefined
  /** Ids of the tokens or grants that make the call */
  tokens?: string[] | undefined
  /** End users whom the call acts for */
  people?: string[] | undefined
}

type Item5 = {
  id: string
  integration: string
  type: string
  /** Wire profile chosen for it; null: the one the operator picks */
  profile: string | null
  name: string
  state: 'connected' | 'unverified' | 'needs_reconnect' | 'revoked' | 'disabled'
  stateReason: string | null
  /** RFC 3339 */
  stateAt: string
  account: {
    id: string
    name: string | null
  } | null
  /** The last four characters of each */
  secrets: {
    [field: string]: string
  }
  policy: {
    methods?: string[]
    paths?: string[]
    scopes?: string[]
    /** Another name of scopes: use that */
    boards?: string[]
    [field: string]: unknown
  } | null
  externalId: string | null
  /** The end user whose account it is; null: it is the workspace's */
  person: string | null
  labels: {
    [field: string]: string
  }
  isDefault: boolean
  /** Id of the container, such as a project, for steps and triggers that are given none; null: there is none */
  defaultContainer: string | null
  /** RFC 3339 */
  createdAt: string
  /** RFC 3339 */
  updatedAt: string
  lastUsedAt: string | null
  /** When the access token expires; it is renewed before then. null: it does not expire, or that is not known */
  expiresAt: string | null
  /** OAuth scopes that the provider granted; absent: it does not say */
  grantedScopes?: string[]
}

type Policy = {
  /** Only these methods */
  methods?: Array<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'> | undefined
  /** Only these paths; "*" matches one segment, a trailing "/**" everything below, a leading "/**" any number of segments */
  paths?: string[] | undefined
  /** Only these containers by id */
  scopes?: string[] | undefined
  /** Another name of scopes: use that */
  boards?: string[] | undefined
  [field: string]: unknown
}

type GetAppAnswer = {
  integration: string
  /** null: not set */
  key: string | null
  /** OAuth 2.0 client id, if it differs from the key */
  clientId?: string | null
  /** The last four characters of each */
  secrets?: {
    [field: string]: string
  }
  owner?: 'operator' | 'tenant'
  /** Address to enter at the provider for webhooks, where it has one for the whole app; null: this server has no public address */
  deliveriesTo?: string | null
  /** RFC 3339 */
  createdAt?: string
  /** RFC 3339 */
  updatedAt?: string
}

type Item6 = {
  /** The platform's own id */
  id: string
  /** Their own accounts; those of the workspace are not listed */
  connections: Array<{
    id: string
    integration: string
    name: string
    state: 'connected' | 'unverified' | 'needs_reconnect' | 'revoked' | 'disabled'
    /** What their calls use that name no connection */
    isDefault: boolean
  }>
  /** Limits of their runs alone */
  budgets: Item[]
  /** Of the last days, as far as the runs are still stored */
  usage: {
    days: number
    runs: number
    failed: number
    calls: number
    credits: number
  }
  /** When they were first named here */
  createdAt: string
}

type Item7 = {
  id: string
  /** The program that was let in */
  client: {
    id: string
    /** What it calls itself; nobody has verified it */
    name: string | null
    /** Host that vouches for it; null: nobody does */
    host: string | null
  }
  /** The path of this server that its tokens are good for */
  resource: string
  scopes: string[]
  /** The steps that it may run; null: all */
  steps: string[] | null
  /** The accounts that it may use; null: all of whom it acts for */
  connections: string[] | null
  /** The end user it is of or for; null: nobody */
  person: string | null
  /** Who let it in */
  who: string
  /** What its runs may cost in a month; null: no limit of its own */
  monthlyCredits: number | null
  /** RFC 3339 */
  createdAt: string
  /** To the minute */
  lastUsedAt: string | null
  /** A use extends it */
  expiresAt: string
}

type Agent = {
  id: string | null
  url: string | null
  /** Signs the starts; returned only when it is created */
  secret?: string
  /** Until when starts are signed with the previous secret too */
  previousSecretUntil?: string
}

type Options = {
  /** How events are delivered: instantly by webhook, or by polling. Absent: by webhook if possible. */
  delivery?: 'webhook' | 'poll'
  /** Also start for earlier events: since a date (RFC 3339), or "recent:25" for the newest 25 (at most 100). */
  startFrom?: string
  /** Quiet period in ms: events about the same subject start the agent once, when none has followed for this long. */
  settleMs?: number
  /** Whether to start for events caused by our own runs too; at most 3 starts in a chain. */
  ownEvents?: boolean
  /** Whether starts about the same subject run one after another, in the order of their events. */
  serial?: boolean
  /** How long the agent may take to respond to a start, in ms (1 s to 15 min); after that it is called again later. Absent: 5 minutes. */
  timeoutMs?: number
}

type Item8 = {
  id: string
  integration: string
  trigger: string
  connection: string
  config: {
    [field: string]: unknown
  }
  /** What it waits for; null where the integration has no words for it */
  summary: Summary | null
  agent: Agent
  options: Options
  /** How its events are received */
  delivery: 'webhook' | 'poll'
  /** failing: its agent did not take the last start; events still start it, and it is active again with the first start that is taken. paused_auth: reconnect the account. paused_model: what it watches was closed or deleted, or can no longer be read. paused_agent: its agent failed for days; starts wait until it is resumed */
  state: 'pending' | 'active' | 'failing' | 'paused' | 'paused_auth' | 'paused_model' | 'paused_agent'
  stateReason: string | null
  /** RFC 3339 */
  stateAt: string
  /** Events before this time start nothing */
  startsFrom: string
  /** How many of the events that happen during downtime can be recovered afterwards */
  recoverable: 'all' | 'some' | 'none' | null
  caveat: string | null
  /** Why events of a type cannot be recovered, by type. Absent: no reason is stated */
  whyWebhookOnly?: {
    [field: string]: string
  }
  externalId: string | null
  /** The end user it is of or for; null: nobody */
  person: string | null
  labels: {
    [field: string]: string
  }
  /** RFC 3339 */
  createdAt: string
  /** RFC 3339 */
  updatedAt: string
}

type Agent2 = {
  /** Your own id for the agent; included in every start */
  id?: string | undefined
  /** Starts are sent here by POST. A private address must be one of the origins the operator allows */
  url?: string | undefined
  /** "whsec_" and 24 to 64 bytes in base64; absent: one is created and returned only in this response */
  secret?: string | undefined
}

type Options2 = {
  /** How events are delivered: instantly by webhook, or by polling. Absent: by webhook if possible. */
  delivery?: 'webhook' | 'poll' | undefined
  /** Also start for earlier events: since a date (RFC 3339), or "recent:25" for the newest 25 (at most 100). */
  startFrom?: string | undefined
  /** Quiet period in ms: events about the same subject start the agent once, when none has followed for this long. */
  settleMs?: number | undefined
  /** Whether to start for events caused by our own runs too; at most 3 starts in a chain. */
  ownEvents?: boolean | undefined
  /** Whether starts about the same subject run one after another, in the order of their events. */
  serial?: boolean | undefined
  /** How long the agent may take to respond to a start, in ms (1 s to 15 min); after that it is called again later. Absent: 5 minutes. */
  timeoutMs?: number | undefined
}

type Hook = {
  id: string
  integration: string
  connection: string
  /** What it watches, as <kind>:<id> */
  model: string
  /** As registered; the signature may cover it */
  callbackUrl: string
  /** The provider's id for it */
  providerId: string | null
  /** failing: registered and active, but deliveries fail */
  state: 'wanted' | 'active' | 'failing' | 'broken' | 'deleting' | 'deleted'
  stateReason: string | null
  /** RFC 3339 */
  stateAt: string
  /** Consecutive failures: as last reported by the provider, or the number of deliveries refused here */
  failures: number
  /** Consecutive deliveries refused here since the last accepted one */
  refused: number
  lastRefusedAt: string | null
  lastDeliveryAt: string | null
  /** RFC 3339 */
  createdAt: string
  /** RFC 3339 */
  updatedAt: string
}

type LastAnswer = {
  /** RFC 3339 */
  at: string
  /** Whether the agent took the start: it answered 2xx or 409 */
  ok: boolean
  /** null: it did not answer */
  status: number | null
  message: string | null
  durationMs: number
  /** The start it answered */
  start: string
  subscription: string
  test: boolean
}

type GetEventInput = {
  /** Id of the connection, if several received the event; absent: the last one to receive it */
  connection?: string | undefined
  id: string
}

type Answer = {
  /** RFC 3339 */
  at: string
  /** null: it did not answer */
  status: number | null
  message: string | null
  durationMs: number
  /** When the next attempt was due; null: this was the last one before a replay */
  nextAt: string | null
}

type Item9 = {
  /** The start key: the same event always has the same key for a subscription, however often it is received */
  id: string
  subscription: string
  event: string
  integration: string
  trigger: string
  connection: string
  /** Id of what it is about */
  subject: string | null
  /** What the subject is called; null while nobody has named it. Untrusted */
  subjectName: string | null
  /** What the subject lies in is called; null where nobody says. Untrusted */
  containerName: string | null
  /** What happened; null where nobody has words for it, or once retention has removed it */
  summary: Summary | null
  /** leased: the agent is being called. dead: given up after the last attempt. merged: part of an earlier start of the same quiet period. missed: found too late */
  state: 'pending' | 'leased' | 'done' | 'dead' | 'merged' | 'paused' | 'missed' | 'cancelled'
  attempts: number
  /** How it was received */
  via: 'webhook' | 'poll' | 'recovery'
  /** Whether one of our own runs caused it */
  causedByUs: boolean | 'unknown'
  depth: number
  late: boolean
  test: boolean
  mergedInto: string | null
  replayOf: string | null
  /** When the next attempt is due */
  dueAt: string | null
  /** When the event happened */
  at: string
  /** The agent's last response */
  answer: {
    /** RFC 3339 */
    at: string
    status: number | null
    message: string | null
    durationMs: number
  } | null
  /** RFC 3339 */
  createdAt: string
  endedAt: string | null
}

type Item10 = {
  id: string
  tenant: string
  name: string
  last4: string
  scopes: Array<'run' | 'connections' | 'subscriptions' | 'approvals' | 'read' | 'metrics' | 'admin'>
  steps: string[] | null
  connections: string[] | null
  toolSet: string | null
  /** The end user it is of or for; null: nobody */
  person: string | null
  /** RFC 3339 */
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
}

type GetPolicyAnswer = {
  /** Absent: the limits of the server */
  limits?: {
    /** Requests to this server per second */
    requestsPerSecond?: number
    /** How many may come at once above that */
    burst?: number
    /** Step runs and lookups per minute that act for the same person */
    personRunsPerMinute?: number
    /** Step runs going on at once */
    running?: number
    /** Step runs that may wait for their turn */
    waiting?: number
    /** Connected accounts */
    connections?: number
    /** Subscriptions */
    subscriptions?: number
    /** Labels of one connection or subscription */
    labels?: number
    /** Outcomes stored for idempotency keys, in MB; those of reads make room, oldest first */
    keyedMegabytes?: number
    /** Files stored at once */
    files?: number
    /** What all files may take together, in MB */
    filesMegabytes?: number
    /** Size of one file, in MB */
    fileMegabytes?: number
  }
  /** What a call for a person uses that names no connection: their own account, the default of the workspace, or the first of these that exists. Absent: as the server is set */
  defaultAccount?: 'personal' | 'shared' | 'personal-then-shared'
  /** By integration: patterns of its manifest's apiCall.deny that this tenant may use anyway */
  apiCallAllow?: {
    [field: string]: string[]
  }
  /** By integration: path patterns that API Call may use within a budget though nobody knows their price */
  apiCallUnpriced?: {
    [field: string]: string[]
  }
}

type GetNotificationTargetAnswer = {
  tenant: string
  url: string | null
  /** null: every type */
  types: Array<'connection.created' | 'connection.needs_reconnect' | 'subscription.unhealthy' | 'start.dead' | 'gap.found' | 'deprecation.used' | 'budget.warned' | 'approval.requested' | 'approval.ended'> | null
  /** Signs the notifications; returned only when it is created */
  secret?: string
  /** Until when notifications are signed with the previous secret too */
  previousSecretUntil: string | null
  createdAt: string
  updatedAt: string
}

type Entrie = {
  email?: string | undefined
  /** The address of a public profile, or its slug */
  linkedin?: string | undefined
  /** With its country: +61 491 570 156 */
  phone?: string | undefined
  /** The id that a provider has for the person */
  recordId?: string | undefined
  /** SHA-256 of an e-mail address in lower case, hexadecimal */
  emailSha256?: string | undefined
}

type Identifier = {
  email?: string | undefined
  /** The address of a public profile, or its slug */
  linkedin?: string | undefined
  /** With its country: +61 491 570 156 */
  phone?: string | undefined
  /** The id that a provider has for the person */
  recordId?: string | undefined
}

type SignInAnswer = {
  tenant: {
    id: string
    name: string
  }
  token: {
    id: string
    name: string
    /** What the session may do */
    scopes: Array<'run' | 'connections' | 'subscriptions' | 'approvals' | 'read' | 'metrics' | 'admin'>
    /** Only these steps; null: all */
    steps: string[] | null
    /** Only these connections; null: all */
    connections: string[] | null
    /** Only the steps of this tool set; null: all */
    toolSet: string | null
    /** It acts for this end user of the platform alone; null: for nobody */
    person: string | null
    expiresAt: string | null
  }
  /** Send it as the header x-csrf-token with every call that is not GET. Absent for a bearer token, which needs none */
  csrfToken?: string
  /** When the session ends, or the bearer token expires; null: never */
  expiresAt: string | null
}

/** How an operation is requested. `query`: its fields that go into the query although it has a body. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: 'json' | 'file'
  query?: readonly string[]
  answer?: 'string' | 'response' | 'undefined'
  options?: readonly string[]
}

export const routes: { readonly [Id in keyof OperationTypes]: Route } = {
  listIntegrations: { method: 'GET', path: '/v1/integrations' },
  getIntegration: { method: 'GET', path: '/v1/integrations/{id}' },
  findSteps: { method: 'GET', path: '/v1/steps' },
  searchCatalogue: { method: 'GET', path: '/v1/catalogue' },
  runStep: { method: 'POST', path: '/v1/steps/{integration}/{step}/run', body: 'json', options: ['idempotencyKey', 'startId', 'background'] },
  loadStepOptions: { method: 'POST', path: '/v1/steps/{integration}/{step}/options', body: 'json' },
  loadStepFields: { method: 'POST', path: '/v1/steps/{integration}/{step}/fields', body: 'json' },
  clearCache: { method: 'DELETE', path: '/v1/cache' },
  listBudgets: { method: 'GET', path: '/v1/budgets' },
  getBudget: { method: 'GET', path: '/v1/budgets/{id}' },
  createBudget: { method: 'POST', path: '/v1/budgets', body: 'json' },
  patchBudget: { method: 'PATCH', path: '/v1/budgets/{id}', body: 'json' },
  removeBudget: { method: 'DELETE', path: '/v1/budgets/{id}', answer: 'undefined' },
  listLedger: { method: 'GET', path: '/v1/ledger' },
  resolveLedgerEntry: { method: 'POST', path: '/v1/ledger/{id}/resolve', body: 'json' },
  listLookups: { method: 'GET', path: '/v1/lookups' },
  lookUp: { method: 'POST', path: '/v1/lookups/{kind}', body: 'json', options: ['idempotencyKey', 'startId'] },
  getStepSample: { method: 'GET', path: '/v1/steps/{integration}/{step}/sample' },
  saveStepSample: { method: 'PUT', path: '/v1/steps/{integration}/{step}/sample', body: 'json' },
  deleteStepSample: { method: 'DELETE', path: '/v1/steps/{integration}/{step}/sample', answer: 'undefined' },
  listFiles: { method: 'GET', path: '/v1/files' },
  downloadFile: { method: 'GET', path: '/v1/files/{id}', answer: 'response' },
  getFile: { method: 'GET', path: '/v1/files/{id}/metadata' },
  deleteFile: { method: 'DELETE', path: '/v1/files/{id}', answer: 'undefined' },
  createFile: { method: 'POST', path: '/v1/files', body: 'file', query: ['expiresInHours', 'person'], options: ['content', 'idempotencyKey'] },
  createJob: { method: 'POST', path: '/v1/jobs', body: 'json', options: ['idempotencyKey'] },
  listJobs: { method: 'GET', path: '/v1/jobs' },
  getJob: { method: 'GET', path: '/v1/jobs/{id}' },
  previewJob: { method: 'GET', path: '/v1/jobs/{id}/preview' },
  resumeJob: { method: 'POST', path: '/v1/jobs/{id}/resume', body: 'json' },
  pauseJob: { method: 'POST', path: '/v1/jobs/{id}/pause' },
  cancelJob: { method: 'POST', path: '/v1/jobs/{id}/cancel' },
  createPeopleList: { method: 'POST', path: '/v1/people-lists', body: 'json', options: ['idempotencyKey'] },
  listPeopleLists: { method: 'GET', path: '/v1/people-lists' },
  getPeopleList: { method: 'GET', path: '/v1/people-lists/{id}' },
  deletePeopleList: { method: 'DELETE', path: '/v1/people-lists/{id}', answer: 'undefined' },
  listApprovals: { method: 'GET', path: '/v1/approvals' },
  getApproval: { method: 'GET', path: '/v1/approvals/{id}' },
  approveRun: { method: 'POST', path: '/v1/approvals/{id}/approve', body: 'json' },
  denyRun: { method: 'POST', path: '/v1/approvals/{id}/deny', body: 'json' },
  listApprovalRules: { method: 'GET', path: '/v1/approval-rules' },
  createApprovalRule: { method: 'POST', path: '/v1/approval-rules', body: 'json' },
  getApprovalRule: { method: 'GET', path: '/v1/approval-rules/{id}' },
  changeApprovalRule: { method: 'PATCH', path: '/v1/approval-rules/{id}', body: 'json' },
  deleteApprovalRule: { method: 'DELETE', path: '/v1/approval-rules/{id}', answer: 'undefined' },
  callTool: { method: 'POST', path: '/v1/tools/{tool}', body: 'json', options: ['idempotencyKey', 'startId', 'person'] },
  getAgentOpenApi: { method: 'GET', path: '/openapi/{integration}.json' },
  listConnections: { method: 'GET', path: '/v1/connections' },
  createConnection: { method: 'POST', path: '/v1/connections', body: 'json' },
  authorizeConnection: { method: 'POST', path: '/v1/connections/authorize', body: 'json' },
  getConnection: { method: 'GET', path: '/v1/connections/{id}' },
  changeConnection: { method: 'PATCH', path: '/v1/connections/{id}', body: 'json' },
  removeConnection: { method: 'DELETE', path: '/v1/connections/{id}', answer: 'undefined' },
  testConnection: { method: 'POST', path: '/v1/connections/{id}/test' },
  getConnectionLimits: { method: 'GET', path: '/v1/connections/{id}/limits' },
  getConnectionUsage: { method: 'GET', path: '/v1/connections/{id}/usage' },
  listConnectionNames: { method: 'GET', path: '/v1/connections/{id}/names' },
  checkConnectionWire: { method: 'POST', path: '/v1/connections/{id}/wire-check', body: 'json', options: ['idempotencyKey'] },
  getApp: { method: 'GET', path: '/v1/apps/{integration}' },
  putApp: { method: 'PUT', path: '/v1/apps/{integration}', body: 'json' },
  listPeople: { method: 'GET', path: '/v1/people' },
  getPerson: { method: 'GET', path: '/v1/people/{id}' },
  listGrants: { method: 'GET', path: '/v1/grants' },
  getGrant: { method: 'GET', path: '/v1/grants/{id}' },
  narrowGrant: { method: 'PATCH', path: '/v1/grants/{id}', body: 'json' },
  endGrant: { method: 'DELETE', path: '/v1/grants/{id}', answer: 'undefined' },
  loadTriggerOptions: { method: 'POST', path: '/v1/triggers/{integration}/{trigger}/options', body: 'json' },
  listSubscriptions: { method: 'GET', path: '/v1/subscriptions' },
  createSubscription: { method: 'POST', path: '/v1/subscriptions', body: 'json', options: ['idempotencyKey'] },
  getSubscription: { method: 'GET', path: '/v1/subscriptions/{id}' },
  changeSubscription: { method: 'PATCH', path: '/v1/subscriptions/{id}', body: 'json' },
  removeSubscription: { method: 'DELETE', path: '/v1/subscriptions/{id}', answer: 'undefined' },
  pauseSubscription: { method: 'POST', path: '/v1/subscriptions/{id}/pause' },
  resumeSubscription: { method: 'POST', path: '/v1/subscriptions/{id}/resume' },
  rotateSubscriptionSecret: { method: 'POST', path: '/v1/subscriptions/{id}/rotate-secret', body: 'json' },
  testSubscription: { method: 'POST', path: '/v1/subscriptions/{id}/test' },
  recoverSubscription: { method: 'POST', path: '/v1/subscriptions/{id}/recover' },
  sampleSubscription: { method: 'GET', path: '/v1/subscriptions/{id}/sample' },
  listAgents: { method: 'GET', path: '/v1/agents' },
  testAgent: { method: 'POST', path: '/v1/agents/test', body: 'json' },
  listHooks: { method: 'GET', path: '/v1/hooks' },
  pruneHooks: { method: 'POST', path: '/v1/hooks/prune' },
  listGaps: { method: 'GET', path: '/v1/gaps' },
  previewDelivery: { method: 'POST', path: '/v1/deliveries/preview', body: 'json' },
  listEvents: { method: 'GET', path: '/v1/events' },
  listUndecodable: { method: 'GET', path: '/v1/undecodable' },
  getEvent: { method: 'GET', path: '/v1/events/{id}' },
  replayEvent: { method: 'POST', path: '/v1/events/{id}/replay' },
  listStarts: { method: 'GET', path: '/v1/starts' },
  getStart: { method: 'GET', path: '/v1/starts/{id}' },
  replayStart: { method: 'POST', path: '/v1/starts/{id}/replay', body: 'json' },
  replayStarts: { method: 'POST', path: '/v1/starts/replay', body: 'json' },
  stream: { method: 'GET', path: '/v1/stream', answer: 'response' },
  listRuns: { method: 'GET', path: '/v1/runs' },
  getRun: { method: 'GET', path: '/v1/runs/{id}' },
  cancelRun: { method: 'POST', path: '/v1/runs/{id}/cancel' },
  getUsage: { method: 'GET', path: '/v1/usage' },
  exportUsage: { method: 'GET', path: '/v1/usage/export', answer: 'string' },
  listTenants: { method: 'GET', path: '/v1/admin/tenants' },
  createTenant: { method: 'POST', path: '/v1/admin/tenants', body: 'json' },
  listTokens: { method: 'GET', path: '/v1/admin/tokens' },
  createToken: { method: 'POST', path: '/v1/admin/tokens', body: 'json' },
  revokeToken: { method: 'DELETE', path: '/v1/admin/tokens/{id}', answer: 'undefined' },
  getKeys: { method: 'GET', path: '/v1/admin/keys' },
  rotateKeys: { method: 'POST', path: '/v1/admin/keys/rotate' },
  listAudit: { method: 'GET', path: '/v1/admin/audit' },
  verifyAudit: { method: 'GET', path: '/v1/admin/audit/verify' },
  getAuditHead: { method: 'GET', path: '/v1/admin/audit/head' },
  getPolicy: { method: 'GET', path: '/v1/admin/policies' },
  putPolicy: { method: 'PUT', path: '/v1/admin/policies', body: 'json', query: ['tenant'] },
  listChecks: { method: 'GET', path: '/v1/admin/checks' },
  backup: { method: 'POST', path: '/v1/admin/backup', answer: 'response' },
  getNotificationTarget: { method: 'GET', path: '/v1/admin/notifications' },
  putNotificationTarget: { method: 'PUT', path: '/v1/admin/notifications', body: 'json' },
  removeNotificationTarget: { method: 'DELETE', path: '/v1/admin/notifications', answer: 'undefined' },
  rotateNotificationSecret: { method: 'POST', path: '/v1/admin/notifications/rotate-secret', body: 'json' },
  listSuppressions: { method: 'GET', path: '/v1/suppressions' },
  addSuppressions: { method: 'POST', path: '/v1/suppressions', body: 'json' },
  removeSuppressions: { method: 'POST', path: '/v1/suppressions/remove', body: 'json' },
  removeSuppression: { method: 'DELETE', path: '/v1/suppressions/{id}', answer: 'undefined' },
  exportPerson: { method: 'POST', path: '/v1/privacy/export', body: 'json' },
  erasePerson: { method: 'POST', path: '/v1/privacy/erase', body: 'json' },
  live: { method: 'GET', path: '/livez' },
  ready: { method: 'GET', path: '/readyz' },
  getOpenApi: { method: 'GET', path: '/openapi.json' },
  createSignInCode: { method: 'POST', path: '/v1/sign-in-codes' },
  signIn: { method: 'POST', path: '/v1/session', body: 'json' },
  getSession: { method: 'GET', path: '/v1/session' },
  signOut: { method: 'DELETE', path: '/v1/session', answer: 'undefined' },
  getServer: { method: 'GET', path: '/v1/server' },
  getMetrics: { method: 'GET', path: '/metrics', answer: 'string' },
}
