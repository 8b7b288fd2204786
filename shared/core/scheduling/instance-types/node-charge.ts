/**
 * What a node costs beside the price of its instance. Karpenter counterpart: none; it has no such figure, and packs a batch
 * on as few nodes as it can whatever they cost. Here price decides; without a charge a hundred nodes for one pod each
 * would win over ten for a hundredth of the price.
 */

/** Dollars: 20 GiB of gp3 ($0.0022), a public IPv4 address ($0.005), and as much again for logs, agents, image pulls. */
export const nodeChargePerHour = 0.01;
