/** Where an API server answers, and by which authority its certificate must be signed. */
export interface ApiEndpoint {
  /** `https://host[:port][/path]`. */
  readonly url: string;
  /** One or more certificates in PEM; absent: the authorities that Node trusts. */
  readonly caPem?: string;
  /** Checked instead of the URL's host. */
  readonly serverName?: string;
}

export interface ClientCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Who we are. Each call asks for the header, so that a token is renewed in time. */
export interface Credentials {
  /** Value of the Authorization header; undefined where a certificate says who we are. `renew`: the last one was refused. */
  readonly authorization: (renew: boolean) => Promise<string | undefined>;
  readonly certificate?: ClientCertificate;
  /** What a person does about it when the API server does not know us (401 with a new token). */
  readonly remedy: string;
}
