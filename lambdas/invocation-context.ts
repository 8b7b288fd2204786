/** What Lambda tells of an invocation, as far as it is used here. */
export interface InvocationContext {
  readonly awsRequestId: string;
  readonly getRemainingTimeInMillis: () => number;
}
