"""AWS on loopback for our tests: moto server and what it lacks, in one process, without a fork of moto."""
